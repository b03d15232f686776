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
	/** What the items have of the input item besides. */
	keeps: KeptInput;
}

type KeptInput = 'nothing' | 'files' | 'fieldsAndFiles';

/** An agent gets each output as it's made. */
const AS_MADE: Arrangement = { fileName: '', keeps: 'nothing' };

/**
 * Reads how to arrange the output of an item. `keepsFiles`: whether the items have the input's files unless the user turns that off.
 * @throws SegmindFailure that names the option, before any call
 */
export function readArrangement(item: Item, keepsFiles = false): Arrangement {
	if (item.session.isTool) return AS_MADE;
	return {
		fileName: chosenStem(item.parameters.text('options.fileName')),
		keeps: readKeptInput(item, keepsFiles),
	};
}

function readKeptInput({ parameters }: Item, keepsFiles: boolean): KeptInput {
	const includes = parameters.optionalBoolean('options.includeOtherFields');
	if (includes === true) return 'fieldsAndFiles';
	return includes === undefined && keepsFiles ? 'files' : 'nothing';
}

/** Returns the items of an item's output. */
export function arrangedItems(
	item: Item,
	output: Output,
	{ fileName, keeps }: Arrangement,
): INodeExecutionData[] {
	const named = fileName === '' ? output : withFileNames(output, fileName);
	return [withInput(item, named, keeps)];
}

/** Returns an item with what it keeps of the input. The output's own fields and files come first, and replace those with the same name. */
function withInput(
	{ session, index, binaries }: Item,
	{ json, binary }: Output,
	keeps: KeptInput,
): INodeExecutionData {
	if (keeps === 'nothing') return { json, binary };
	const files = { ...binary, ...binaries, ...binary };
	const allFiles = Object.keys(files).length > 0 ? files : undefined;
	if (keeps === 'files') return { json, binary: allFiles };
	// n8n would take an item with the error of an earlier node for a failed one (docs/n8n.md N130).
	const { error: _earlierError, ...fields } = session.items[index].json;
	return { json: { ...json, ...fields, ...json }, binary: allFiles };
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
