/** Arranges an output into the items that leave the node. */
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { without } from '../base/without';
import { OUTPUT_FIELD } from '../descriptions/options';
import type { Output } from '../journal/entry';
import { withChosenName } from '../media/fileNames';
import type { Item } from '../run/item';
import { isObject } from '../service/schemas';
import { dropUndefined, RESULT_FIELDS, urlFields } from './outputFields';
import type { Delivery, Making, Presentation } from './presentation';
import { writesWords } from './readResult';

/** Returns the items of an item's output. */
export function arrangedItems(
	item: Item,
	output: Output,
	{ making, delivery }: Presentation,
): INodeExecutionData[] {
	if (!delivery) return [itemWith(output.json, output.binary)];
	const { fileName, oneItemPerFile, outputField } = delivery;
	const named = withFileNames(withOutputField(output, outputField), fileName);
	const outputs = oneItemPerFile ? outputsPerFile(named, making.simplify) : [named];
	return outputs.map((one) => withInput(item, one, making, delivery));
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

/** Fields of the input that would pass for those of a result, or for an error (docs/n8n.md N130). */
const NOT_KEPT = new Set<string>([...RESULT_FIELDS, 'error']);

/** Returns the fields that a failed item keeps of the input: if that is a result, only its words and the user's own. */
export function fieldsOfFailed(json: IDataObject): IDataObject {
	return without(json, json.request_id ? NOT_KEPT : new Set(['error'])) as IDataObject;
}

/** Returns the names of the fields that an output can have. Input fields with these names aren't kept, even if this output lacks them. */
function ownFields(json: IDataObject, makes: Delivery['makes']): ReadonlySet<string> {
	if (Object.hasOwn(json, 'workflow')) return new Set([...NOT_KEPT, 'outputs']);
	const mayWrite = makes === undefined || writesWords(makes);
	return mayWrite ? new Set([...NOT_KEPT, 'text', 'data']) : NOT_KEPT;
}

/** Returns an item with what it keeps of the input. The output's own fields and files come first, and replace those with the same name. */
function withInput(
	{ run, index, binaries }: Item,
	output: Output,
	{ downloadOutput }: Making,
	delivery: Delivery,
): INodeExecutionData {
	const { json, binary } = output;
	const { includeOtherFields, keepsFiles } = delivery;
	if (!(includeOtherFields ?? keepsFiles)) return itemWith(json, binary);
	const replaced = downloadOutput ? replacedFields(output, delivery) : new Set<string>();
	const files = withMissing(binary ?? {}, without(binaries, replaced));
	if (!includeOtherFields) return itemWith(json, files);
	const others = without(run.items[index].json, ownFields(json, delivery.makes));
	return itemWith(withMissing(json, others), files);
}

/** Returns the binary fields of a result, also if there is no file or it couldn't be downloaded: the next node must not take the input's file for it. */
function replacedFields(
	{ files = [] }: Output,
	{ outputField, makes }: Delivery,
): ReadonlySet<string> {
	const ownFields = files.map(({ field }) => field);
	return new Set(writesWords(makes) ? ownFields : [outputField, ...ownFields]);
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
