/** How an output is arranged into the items that leave the node. */
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { without } from '../base/without';
import type { Output } from '../journal/entry';
import { extensionOf } from '../media/mediaTypes';
import type { Item } from '../run/item';
import { isObject } from '../service/schemas';
import { dropUndefined } from './outputFields';
import { chosenStem } from './fileNames';

/** It's applied to the output that is kept for retries, so another arrangement never sends or fetches anything. */
interface Arrangement {
	/** The name of the files without extension; '' if they keep theirs. */
	fileName: string;
	/** What the items have of the input item besides. */
	keeps: KeptInput;
	isOneItemPerFile: boolean;
	/** Whether files at URLs become binary data. */
	downloadsFiles: boolean;
	/** Whether each item has its own file's URL; otherwise it has the response as received. */
	simplify: boolean;
}

type KeptInput = 'nothing' | 'files' | 'fieldsAndFiles';

/** An agent gets each output as it's made. */
const AS_MADE: Arrangement = {
	fileName: '',
	keeps: 'nothing',
	isOneItemPerFile: false,
	downloadsFiles: true,
	simplify: true,
};

/**
 * Reads how to arrange the output of an item. `keepsFiles`: whether the items have the input's files unless the user turns that off.
 * @throws SegmindFailure that names the option, before any call
 */
export function readArrangement(item: Item, keepsFiles = false): Arrangement {
	if (item.run.isTool) return AS_MADE;
	const { parameters } = item;
	return {
		fileName: chosenStem(parameters.text('options.fileName')),
		keeps: readKeptInput(item, keepsFiles),
		isOneItemPerFile: parameters.isOn('options.oneItemPerFile'),
		downloadsFiles: parameters.isOn('options.downloadOutput'),
		simplify: parameters.isOn('simplify'),
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
	arrangement: Arrangement,
): INodeExecutionData[] {
	const { fileName, isOneItemPerFile, simplify } = arrangement;
	const named = fileName === '' ? output : withFileNames(output, fileName);
	const outputs = isOneItemPerFile ? outputsPerFile(named, simplify) : [named];
	return outputs.map((one) => withInput(item, one, arrangement));
}

/** Returns an output for each file, in the binary field of the first one. Only the first output has the cost, so that a sum of all items is right. */
function outputsPerFile(output: Output, simplify: boolean): Output[] {
	const { json, binary = {}, files = [] } = output;
	if (files.length < 2) return [output];
	const [first] = files;
	return files.map(({ field, url }, at) => {
		const ofFile = simplify ? dropUndefined({ ...json, url, urls: undefined }) : json;
		return {
			json: at === 0 ? ofFile : withoutCost(ofFile),
			binary: Object.hasOwn(binary, field) ? { [first.field]: binary[field] } : undefined,
			files: [{ field: first.field, url }],
		};
	});
}

const COST = new Set(['cost']);

/** Returns an output without its cost. A response has it among its metrics. */
function withoutCost(json: IDataObject): IDataObject {
	const others = without(json, COST);
	if (!isObject(json.metrics)) return others;
	return { ...others, metrics: without(json.metrics, COST) } as IDataObject;
}

/** Fields of the input that readers would mistake for the output's own: the cost and the URLs of an earlier request, and an error (docs/n8n.md N130). */
const NOT_KEPT = new Set(['cost', 'error', 'urls']);

/**
 * Returns an item with what it keeps of the input. The output's own fields and files come first, and replace those with the same name. So does a file that
 * couldn't be downloaded: the next node must not take the input's file for it.
 */
function withInput(
	{ run, index, binaries }: Item,
	{ json, binary, files: ownFiles = [] }: Output,
	{ keeps, downloadsFiles }: Arrangement,
): INodeExecutionData {
	if (keeps === 'nothing') return itemWith(json, binary);
	const ownFields = new Set(downloadsFiles ? ownFiles.map(({ field }) => field) : []);
	const files = withMissing(binary ?? {}, without(binaries, ownFields));
	if (keeps === 'files') return itemWith(json, files);
	return itemWith(withMissing(json, without(run.items[index].json, NOT_KEPT)), files);
}

/** Returns an object's members, followed by those of another that it doesn't have. */
function withMissing<Value>(
	own: Readonly<Record<string, Value>>,
	other: Readonly<Record<string, Value>>,
): Record<string, Value> {
	const missing = Object.entries(other).filter(([name]) => !Object.hasOwn(own, name));
	return { ...own, ...Object.fromEntries(missing) };
}

/** Returns an item, without the member `binary` if it has no files. */
function itemWith(json: IDataObject, binary: IBinaryKeyData = {}): INodeExecutionData {
	return Object.keys(binary).length > 0 ? { json, binary } : { json };
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
