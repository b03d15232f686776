/** Reads parameters that several watchers use. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { badInput } from '../shared/errors/failures';
import { INPUTS } from '../shared/errors/inputTable';
import { textIn } from '../shared/inputs/values';

/** Reads the options that the user added. */
export function readOptions(context: IPollFunctions): IDataObject {
	return context.getNodeParameter('options', {}) as IDataObject;
}

/** Whether the first poll emits existing events. */
export function emitsExisting(context: IPollFunctions): boolean {
	return readOptions(context).emitExisting === true;
}

/** Reads the chosen statuses: COMPLETED, FAILED. @throws SegmindFailure if none is chosen */
export function readStates(context: IPollFunctions): string[] {
	const states = readWords(context, 'states');
	if (states.length > 0) return states;
	throw badInput(INPUTS.empty, {
		label: 'Statuses',
		todo: 'Choose Completed, Failed or both.',
	});
}

/** Reads the words of a list parameter, in capitals. An expression may return them as one string with commas. */
export function readWords(context: IPollFunctions, name: string): string[] {
	const value: unknown = context.getNodeParameter(name, []);
	const list = Array.isArray(value) ? value : textIn(value).split(',');
	return list.map((word) => textIn(word).toUpperCase()).filter((word) => word !== '');
}
