import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { findModel } from '../shared/catalogue';
import { slugIn } from '../shared/catalogue/slug';
import { TASK_RESOURCES, findTask } from '../shared/catalogue/tasks';
import {
	MAKING_OPTIONS,
	optionsField,
	readOption,
	REQUEST_OPTIONS,
	RUN_OPTIONS,
} from '../shared/descriptions/options';
import { wrongInput } from '../shared/errors/failures';
import { say } from '../shared/errors/say';
import { isBinary } from '../shared/inputs/files';
import type { InputFields } from '../shared/inputs/readInputs';
import { startOf } from '../shared/media/fileContent';
import { generate } from '../shared/request/operations/generate';
import { readSubmission, type Submission } from '../shared/request/submission';
import type { Item } from '../shared/run/item';
import { joinUrl, pathSegment } from '../shared/service/addresses';
import { formFields, taskFields } from './modelFields';

export const generateFields: INodeProperties[] = [
	// These fields have display options for one resource each, which updateDisplayOptions would overwrite.
	...taskFields,
	...updateDisplayOptions(
		{ show: { resource: [...TASK_RESOURCES] }, hide: { operation: ['getMany'] } },
		[
			...formFields,
			// One call responds with the output itself, so there is nothing to wait for.
			...updateDisplayOptions({ hide: { '/options.answerInOneCall': [true] } }, [
				RUN_OPTIONS.waitForCompletion.field,
			]),
			MAKING_OPTIONS.simplify.field,
			optionsField('model'),
		],
	),
];

/** Sends POST {baseUrl}/v2/{model} and polls until the request has ended, or sends POST {baseUrl}/v1/{model} (docs/service.md S60, S80). */
export async function generateItem(item: Item): Promise<INodeExecutionData[]> {
	const { run, parameters } = item;
	const { baseUrl } = run.client.urls;
	const isInOneCall = readOption(parameters, REQUEST_OPTIONS.answerInOneCall);
	const slug = slugIn(parameters.text('model'), baseUrl);
	const path = `/${isInOneCall ? 'v1' : 'v2'}/${pathSegment(slug, parameters.label('model'))}`;
	const task = findTask(parameters.value('resource'), parameters.value('operation'));
	if (task?.question) assertLanguageModel(item, slug);
	const submission = await readSubmission(item, {
		url: joinUrl(baseUrl, path),
		slug,
		isWorkflow: false,
		responds: isInOneCall ? 'output' : 'reference',
		task,
	});
	if (task?.operation === 'upscale') await addTransparencyHint(item, submission);
	return await generate(item, submission);
}

/** @throws SegmindFailure for a built-in model of another kind. Of any other model, what is known depends on what this process has read by chance. */
function assertLanguageModel({ parameters }: Item, slug: string): void {
	const kind = findModel(slug)?.kind;
	if (kind === undefined || kind === 'text') return;
	const wanted = 'a language model that sees images, such as gpt-5.4-mini';
	throw wrongInput(parameters.label('model'), slug, wanted);
}

const OUTPUT_FORMAT = 'output_format';

/** Adds a hint if the item's picture may be transparent, but the model returns a JPEG of it. */
async function addTransparencyHint(item: Item, { slug, inputs }: Submission): Promise<void> {
	if (inputs.kind === 'body' || !returnsJpeg(slug, inputs)) return;
	for (const input of inputs.byName.values()) {
		const files = input.kind === 'files' ? input.parts.filter(isBinary) : [];
		const starts = await Promise.all(files.map(async (file) => await startOf(item.run, file)));
		if (!starts.some((start) => start !== undefined && mayBeTransparent(start))) continue;
		const text = say`the image may be transparent in parts, and a JPEG can't be. To keep that, set ${OUTPUT_FORMAT} to png.`;
		item.run.report.addHint({ item: item.index, text });
		return;
	}
}

function returnsJpeg(slug: string, { byName }: InputFields): boolean {
	const given = byName.get(OUTPUT_FORMAT);
	const known = findModel(slug)?.parameters.find(({ name }) => name === OUTPUT_FORMAT);
	const format = given?.kind === 'value' ? given.value : known?.default;
	return typeof format === 'string' && /^jpe?g$/i.test(format);
}

/** Whether the first bytes of a picture are those of a PNG or WebP with transparency. */
function mayBeTransparent(start: Buffer): boolean {
	const text = start.toString('latin1');
	if (text.startsWith('\x89PNG')) return [4, 6].includes(start[25]) || text.includes('tRNS');
	return text.startsWith('RIFF') && text.slice(8, 16) === 'WEBPVP8X' && (start[20] & 0x10) !== 0;
}
