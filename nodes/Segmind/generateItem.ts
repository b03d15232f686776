import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { findModel } from '../shared/catalogue';
import { arrangedItems, readArrangement } from '../shared/output/arrangement';
import { say } from '../shared/errors/say';
import { isBinary } from '../shared/inputs/files';
import type { InputFields } from '../shared/inputs/readInputs';
import { startOf } from '../shared/media/fileContent';
import type { Submission } from '../shared/request/submission';
import { OPTION_SETS, optionsField } from '../shared/descriptions/optionFields';
import { simplifyField, waitForCompletionField } from '../shared/descriptions/requestFields';
import { generate, readPresentation } from '../shared/request/operations/generate';
import { readOptions } from '../shared/run/readOptions';
import type { Item } from '../shared/run/item';
import { formFields, readModelSubmission, taskFields, readTask } from './modelFields';
import { TASK_RESOURCES } from '../shared/catalogue/tasks';

export const generateFields: INodeProperties[] = [
	// These fields have display options for one resource each, which updateDisplayOptions would overwrite.
	...taskFields,
	...updateDisplayOptions(
		{ show: { resource: [...TASK_RESOURCES] }, hide: { operation: ['getMany'] } },
		[
			...formFields,
			// One call responds with the output itself, so there is nothing to wait for.
			...updateDisplayOptions({ hide: { '/options.answerInOneCall': [true] } }, [
				waitForCompletionField,
			]),
			simplifyField,
			optionsField(OPTION_SETS.model),
		],
	),
];

/** Sends POST {baseUrl}/v2/{model} and polls until the request has ended, or sends POST {baseUrl}/v1/{model} (docs/service.md S60, S80). */
export async function generateItem(item: Item): Promise<INodeExecutionData[]> {
	const options = readOptions(item);
	const presentation = readPresentation(item, options);
	const task = readTask(item);
	const arrangement = readArrangement(item, task?.keepsFiles);
	const submission = await readModelSubmission(item, options, presentation);
	if (task?.operation === 'upscale') await addTransparencyHint(item, submission);
	const output = await generate(item.run, submission);
	return arrangedItems(item, output, arrangement, findModel(submission.slug)?.kind ?? task?.makes);
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
