import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { describeError } from '../base/describeError';
import type { Redact } from '../base/redact';
import { numberIn } from '../base/text';
import { without } from '../base/without';
import type { Kind } from '../catalogue/types';
import { say, whole, type Said } from '../errors/say';
import type { Output, OutputFile } from '../journal/entry';
import type { OutputRun } from '../run/run';
import { excerpt, reasonIn } from '../service/errorBody';
import { hasOtherValues } from '../service/otherValues';
import { dropUndefined, renameError, urlFields, type ResultFields } from './outputFields';
import { binaryFieldOf, downloadFiles, storeFiles } from './itemFiles';
import { jsonAnswer } from './jsonAnswer';
import type { OutputSpec } from './presentation';
import { readResult, type Contents } from './readResult';
import { reportedCost, reportedFact, type Result } from './result';

/** Uploads files for an agent, which can't receive files, and returns their URLs. */
type UploadForAgent = (files: IBinaryData[]) => Promise<string[]>;

/** Makes the output of a result (CONTRACT.md): its fields, and its files as binary data. It's the only way from a result to an item. */
export async function makeOutput(
	run: OutputRun,
	spec: OutputSpec,
	result: Result,
	agentUploader?: UploadForAgent,
): Promise<Output> {
	const { isJson, simplify, downloadOutput } = spec.making;
	const contents = readResult(result, spec);
	const { fields } = contents;
	if (isJson) fields.data = jsonAnswer(fields.text ?? '');
	addHints(run, spec, result, contents);

	const stored = await storeFiles(run, spec, contents.files);
	const uploadedUrls = await uploadStored(run, spec, stored, agentUploader);
	const downloaded = downloadOutput
		? await downloadFiles(run, spec, contents.media, contents.files.length)
		: {};
	const json = simplify
		? simpleFields(run, spec, contents, uploadedUrls)
		: wholeResponse(spec, contents);
	const binary = { ...stored, ...downloaded };
	const files = outputFiles(contents);
	return Object.keys(binary).length > 0 ? { json, binary, files } : { json, files };
}

/** Returns the files of an output in order: those that came as bytes, then those at URLs. */
function outputFiles({ files, media }: Contents): OutputFile[] {
	const urls = [...files.map(() => undefined), ...media.map(({ url }) => url)];
	return urls.map((url, at) => ({ field: binaryFieldOf(at), url }));
}

const CUT_TEXT = say`the model reached its token limit, so its text is incomplete. Increase the model's limit, such as max_tokens, or ask for a shorter text.`;

const NOT_JSON = say`the answer of the model contains no JSON, or more than one object, although Output Format is JSON. It was charged.`;

/** Adds the hints about an answer that was cut or isn't JSON, or about what is missing from the result. */
function addHints(
	{ events, client }: OutputRun,
	{ itemIndex: item, makes, making }: OutputSpec,
	{ from }: Result,
	contents: Contents,
): void {
	const { isCut } = contents.ending;
	// The request history has only files, and an incomplete text isn't a missing one.
	const missing = from === 'history' || isCut ? undefined : missingOutputOf(contents, makes);
	if (isCut) events.addHint({ item, text: CUT_TEXT });
	if (missing) events.addHint({ item, text: missingOutputHint(missing, client.redact) });
	else if (making.isJson && !contents.fields.data) events.addHint({ item, text: NOT_JSON });
}

/** `redact`: of the run, because the model's own words are quoted. */
function missingOutputHint({ what, said }: MissingOutput, redact: Redact): Said {
	const words = said === '' ? '' : `: '${excerpt(said, redact)}'`;
	return say`the request completed and was charged, but the node found no ${what}${words}.`;
}

/** What is missing, in words, and what the model says instead; '' if nothing. */
interface MissingOutput {
	what: string;
	said: string;
}

/** The file that a model of this kind makes, in words. Other models make a text. */
const FILES: Partial<Record<Kind, string>> = {
	image: 'image',
	imageEdit: 'image',
	video: 'video',
	audio: 'audio',
};

/** Returns what is missing from the result of a model that makes `makes`; undefined if nothing is, or if only the user can tell. */
function missingOutputOf(
	{ files, media, fields, ending, shown }: Contents,
	makes: Kind | undefined,
): MissingOutput | undefined {
	if (files.length + media.length > 0) return undefined;
	const file = makes && FILES[makes];
	const { text, outputs, output } = fields;
	if (ending.isBare || ![text, outputs, output].some((one) => hasOtherValues(one))) {
		const isText = makes !== undefined || ending.reason !== '';
		return { what: file ?? (isText ? 'text' : 'output'), said: ending.reason };
	}
	if (file === undefined) return undefined;
	return {
		what: file,
		said: saidText(fields) || reasonIn(shown.body) || reasonIn(output) || JSON.stringify(output),
	};
}

/** Returns the words in the item: the text, or an output that is only a text. */
function saidText({ text, output }: Contents['fields']): string {
	const words = text?.trim() ?? '';
	return words === '' && typeof output === 'string' ? output.trim() : words;
}

/** Uploads the stored files for an agent. The output was charged, so the item doesn't fail if the upload does. */
async function uploadStored(
	{ events, client }: OutputRun,
	{ itemIndex: item }: OutputSpec,
	stored: IBinaryKeyData,
	agentUploader: UploadForAgent | undefined,
): Promise<string[]> {
	const files = Object.values(stored);
	if (!agentUploader || files.length === 0) return [];
	try {
		return await agentUploader(files);
	} catch (error) {
		const why = whole(describeError(error, client.redact));
		const text = say`the output could not be uploaded for the agent (${why}). The file is in the item's binary data.`;
		events.addHint({ item, text });
		return [];
	}
}

/**
 * The output comes first, because n8n's table shows members in this order. An agent's model is charged by the token, so it gets only what it needs next.
 * `uploadedUrls`: of the files that came as bytes, if they were uploaded.
 */
function simpleFields(
	{ isTool }: OutputRun,
	{ requestId, madeBy }: OutputSpec,
	{ media, fields, shown }: Contents,
	uploadedUrls: string[],
): IDataObject {
	const { last_frame_url, data, text, outputs, output, usage } = fields;
	const content = {
		...urlFields([...media.map(({ url }) => url), ...uploadedUrls]),
		last_frame_url,
		data,
		text: isTool && data ? undefined : text,
		outputs,
		output,
		request_id: requestId,
		status: 'COMPLETED',
	};
	const cost = reportedCost(shown);
	if (isTool) return dropUndefined({ ...content, cost });
	const remaining_credits = numberIn(reportedFact(shown, 'remaining_credits'));
	const seed = reportedFact(shown, 'seed') ?? undefined;
	const facts: ResultFields = { ...madeBy, cost, remaining_credits, seed, usage };
	return dropUndefined({ ...content, ...facts });
}

/** Returns the response as received, and what it lacks: its request, what made it and, if they came as JSON text, a workflow's outputs. */
function wholeResponse(
	{ requestId, madeBy }: OutputSpec,
	{ shown: { body, headers }, fields }: Contents,
): IDataObject {
	const outputs = typeof body.output === 'string' ? fields.outputs : undefined;
	const known = { request_id: requestId, status: 'COMPLETED', ...madeBy, outputs };
	const members = { ...renameError(body), ...headers };
	return { ...members, ...dropUndefined(without(known, new Set(Object.keys(members)))) };
}
