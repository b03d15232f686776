/** How an output is arranged into the items that leave the node. */
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { without } from '../base/without';
import type { Kind } from '../catalogue/types';
import type { Output } from '../journal/entry';
import { withChosenName } from '../media/fileNames';
import type { ItemParameters } from '../parameters/itemParameters';
import type { Item } from '../run/item';
import { OUTPUT_FIELD, readOutputField } from '../run/readOptions';
import { isObject } from '../service/schemas';
import { dropUndefined, urlFields } from './outputFields';

/** It's applied to the output that is kept for retries, so another arrangement never sends or fetches anything. */
interface Arrangement {
	/** The name that the user chose for the files; '' if they keep theirs. */
	fileName: string;
	/** What the items have of the input item besides. */
	keeps: KeptInput;
	isOneItemPerFile: boolean;
	/** Whether files at URLs become binary data. */
	downloadsFiles: boolean;
	/** Whether each item has its own file's URL; otherwise it has the response as received. */
	simplify: boolean;
	/** The binary field of the first file. */
	outputField: string;
}

type KeptInput = 'nothing' | 'files' | 'fieldsAndFiles';

/** An agent gets each output as it's made. */
const AS_MADE: Arrangement = {
	fileName: '',
	keeps: 'nothing',
	isOneItemPerFile: false,
	downloadsFiles: true,
	simplify: true,
	outputField: OUTPUT_FIELD,
};

/**
 * Reads how to arrange the output of an item. `keepsFiles`: whether the items have the input's files unless the user turns that off.
 * @throws SegmindFailure that names the option, before any call
 */
export function readArrangement(item: Item, keepsFiles = false): Arrangement {
	if (item.run.isTool) return AS_MADE;
	const { parameters } = item;
	return {
		fileName: parameters.text('options.fileName'),
		keeps: readKeptInput(item, keepsFiles),
		isOneItemPerFile: parameters.isOn('options.oneItemPerFile'),
		downloadsFiles: parameters.isOn('options.downloadOutput'),
		simplify: parameters.isOn('simplify'),
		outputField: readOutputField(parameters),
	};
}

function readKeptInput({ parameters }: Item, keepsFiles: boolean): KeptInput {
	const includes = readIncludesInput(parameters);
	if (includes === true) return 'fieldsAndFiles';
	return includes === undefined && keepsFiles ? 'files' : 'nothing';
}

/** Reads whether the output has the input's fields too; undefined if the option isn't added. @throws SegmindFailure that names the option */
export function readIncludesInput(parameters: ItemParameters): boolean | undefined {
	return parameters.optionalBoolean('options.includeOtherFields');
}

/** Returns the items of an item's output. `makes`: what the model makes; undefined if that's unknown. */
export function arrangedItems(
	item: Item,
	output: Output,
	arrangement: Arrangement,
	makes?: Kind,
): INodeExecutionData[] {
	const { fileName, isOneItemPerFile, simplify, outputField } = arrangement;
	const inField = withOutputField(output, outputField);
	const named = fileName === '' ? inField : withFileNames(inField, fileName);
	const outputs = isOneItemPerFile ? outputsPerFile(named, simplify) : [named];
	return outputs.map((one) => withInput(item, one, arrangement, makes));
}

/** Returns an output for each file, in the binary field of the first one. Only the first output has the cost, so that a sum of all items is right. */
function outputsPerFile(output: Output, simplify: boolean): Output[] {
	const { json, binary = {}, files = [] } = output;
	if (files.length < 2) return [output];
	const [first] = files;
	return files.map(({ field, url }, at) => {
		const ofFile = simplify
			? dropUndefined({ ...json, ...urlFields(url === undefined ? [] : [url]) })
			: json;
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

/** Fields of the input that would pass for those of a result: its files, its request, what it cost, and an error (docs/n8n.md N130). */
const NOT_KEPT = new Set([
	'url',
	'urls',
	'last_frame_url',
	'request_id',
	'poll_url',
	'status_url',
	'response_url',
	'seed',
	'usage',
	'cost',
	'remaining_credits',
	'error',
]);

/** Returns the input's fields that can be kept beside those of a result or an error. */
export function keptFields(json: IDataObject): IDataObject {
	return without(json, NOT_KEPT) as IDataObject;
}

/** Kinds of models whose result has no file. */
const TEXT_KINDS: ReadonlySet<Kind | undefined> = new Set<Kind>(['text', 'transcript']);

/** Returns an item with what it keeps of the input. The output's own fields and files come first, and replace those with the same name. */
function withInput(
	{ run, index, binaries }: Item,
	output: Output,
	arrangement: Arrangement,
	makes: Kind | undefined,
): INodeExecutionData {
	const { json, binary } = output;
	const { keeps } = arrangement;
	if (keeps === 'nothing') return itemWith(json, binary);
	const replaced = replacedFields(output, arrangement, makes);
	const files = withMissing(binary ?? {}, without(binaries, replaced));
	if (keeps === 'files') return itemWith(json, files);
	return itemWith(withMissing(json, keptFields(run.items[index].json)), files);
}

/** Returns the binary fields of a result, also if there is no file or it couldn't be downloaded: the next node must not take the input's file for it. */
function replacedFields(
	{ files = [] }: Output,
	{ downloadsFiles, outputField }: Arrangement,
	makes: Kind | undefined,
): ReadonlySet<string> {
	if (!downloadsFiles) return new Set();
	const ownFields = files.map(({ field }) => field);
	return new Set(TEXT_KINDS.has(makes) ? ownFields : [outputField, ...ownFields]);
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
function withFileNames(output: Output, fileName: string): Output {
	if (output.binary === undefined) return output;
	const binary = { ...output.binary };
	for (const [at, { field }] of (output.files ?? []).entries()) {
		if (Object.hasOwn(binary, field)) binary[field] = withChosenName(binary[field], fileName, at);
	}
	return { ...output, binary };
}

/** Returns an output whose first file is in this binary field, and the others in those that follow. */
function withOutputField(output: Output, outputField: string): Output {
	if (outputField === OUTPUT_FIELD) return output;
	const { binary, files = [] } = output;
	const renamed = (field: string) => outputField + field.slice(OUTPUT_FIELD.length);
	return {
		...output,
		binary:
			binary &&
			Object.fromEntries(Object.entries(binary).map(([field, file]) => [renamed(field), file])),
		files: files.map((file) => ({ ...file, field: renamed(file.field) })),
	};
}
