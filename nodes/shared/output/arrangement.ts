/** How an output is arranged into the items that leave the node. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { Output } from '../journal/entry';
import { extensionOf } from '../media/mediaTypes';
import type { Item } from '../run/item';
import { chosenStem } from './fileNames';

/** It's applied to the output that is kept for retries, so another arrangement never sends or fetches anything. */
export interface Arrangement {
	/** The name of the files without extension; '' if they keep theirs. */
	fileName: string;
}

/** An agent gets each output as it's made. */
const AS_MADE: Arrangement = { fileName: '' };

/** Reads how to arrange the output of an item. @throws SegmindFailure that names the option, before any call */
export function readArrangement({ session, parameters }: Item): Arrangement {
	if (session.isTool) return AS_MADE;
	return { fileName: chosenStem(parameters.text('options.fileName')) };
}

/** Returns the items of an output. */
export function arrangedItems(output: Output, { fileName }: Arrangement): INodeExecutionData[] {
	const { json, binary } = fileName === '' ? output : withFileNames(output, fileName);
	return [{ json, binary }];
}

/** Returns an output whose files have this name, from the second one on with a number. */
function withFileNames(output: Output, stem: string): Output {
	if (output.binary === undefined) return output;
	const binary = { ...output.binary };
	for (const [at, { field }] of (output.files ?? []).entries()) {
		if (!Object.hasOwn(binary, field)) continue;
		const { fileName = '' } = binary[field];
		const number = at === 0 ? '' : `-${at}`;
		binary[field] = { ...binary[field], fileName: `${stem}${number}.${extensionOf(fileName)}` };
	}
	return { ...output, binary };
}
