/** What happens to files of the item that no parameter names. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { loadForm, UNREACHABLE, useForms } from '../../helpers/forms';
import { fileRow, rows, textRow } from '../../helpers/inference';
import { fileItem, succeed } from '../../helpers/runNode';
import { storedForm } from '../../helpers/modelForm';

const { serveList, runWithForm } = useForms();

const picture = { bytes: Buffer.from('p'), mimeType: 'image/png' };
const other = { bytes: Buffer.from('q'), mimeType: 'image/webp' };
const sound = { bytes: Buffer.from('s'), mimeType: 'audio/mpeg' };
const FILE = expect.stringMatching(/^http/) as string;

const EDIT = { resource: 'image', operation: 'edit' };
const IMAGE = { resource: 'image', operation: 'generate' };
const VIDEO = { resource: 'video', operation: 'generate' };
const withRows = (...values: INodeParameters[]) => ({ additionalParameters: rows(...values) });
const GIVEN_URL = 'https://a.b/c.png';
const urlRow = (name: string) => withRows(textRow(name, GIVEN_URL));

/** Title, model, files of the item, the body that is sent, and further parameters (default: Any Model). */
type Case = [string, string, Parameters<typeof fileItem>[0], IDataObject, INodeParameters?];
const REQUIRED: Case[] = [
	['one file fits', 'esrgan', { voice: sound, photo: picture }, { image: FILE }],
	['as a list', 'p-image-edit', { data: picture }, { image_urls: [FILE] }],
	['a sound', 'eleven-labs-transcript', { a: picture, b: sound }, { audio_url: FILE }],
	['two files fit: none is sent', 'esrgan', { data: picture, data_1: other }, {}],
	['no file fits', 'esrgan', { data: sound }, {}],
	['two parameters are required: none is sent', 'faceswap-v5', { data: picture }, {}],
	['no parameter is required', 'veo-3.1', { data: picture }, {}],
	['an unknown model', 'my-endpoint', { data: picture }, {}],
	['given in a row', 'esrgan', { data: picture }, { image: GIVEN_URL }, urlRow('image')],
	['another text', 'esrgan', { data: picture }, { image: 'x' }, withRows(textRow('image', 'x'))],
	[
		'already used',
		'faceswap-v5',
		{ data: picture },
		{ source_image: FILE },
		withRows(fileRow('source_image')),
	],
];
const NOT_REQUIRED: Case[] = [
	['a video', 'seedance-2.0-mini', { data: picture }, { first_frame_url: FILE }, VIDEO],
	['an edit', 'seedream-4', { a: sound, b: picture }, { image_input: [FILE] }, EDIT],
	['another task', 'nano-banana', { a: other }, {}, IMAGE],
	['a model for another task', 'seedream-4', { a: picture }, {}, IMAGE],
	['Any Model', 'seedance-2.0-mini', { data: picture }, {}],
	['a model without files', 'veo-3', { data: picture }, {}, VIDEO],
	['two images', 'seedance-2.0-mini', { a: picture, b: other }, {}, VIDEO],
	['no image', 'seedance-2.0-mini', { data: sound }, {}, VIDEO],
	[
		'a file is given',
		'seedance-2.0-mini',
		{ data: picture },
		{ last_frame_url: GIVEN_URL },
		{ ...VIDEO, ...urlRow('last_frame_url') },
	],
	[
		'a file is given for an unknown parameter',
		'seedance-2.0-mini',
		{ data: picture, data_1: sound },
		{ style_image: FILE },
		{ ...VIDEO, ...withRows(fileRow('style_image', 'data_1')) },
	],
];

describe.each([
	['a file that is required and not given', REQUIRED],
	['a file for a parameter that is not required', NOT_REQUIRED],
])('%s', (_what, cases) => {
	test.each(cases)('%s', async (_name, slug, files, body, more = {}) => {
		const result = succeed(await runWithForm(slug, undefined, more, [fileItem(files)]));
		expect(result.body).toEqual(body);
		const names = Object.keys(files).map((name) => `'${name}'`);
		const isHinted = result.hints.some((hint) => names.some((name) => hint.includes(name)));
		expect(isHinted).toBe(Object.keys(body).length > 0 && !('additionalParameters' in more));
	});
});

test('the stored form decides whether a file is required, also for a model that only the list has', async () => {
	const parameters = { canvas: { type: 'image', isRequired: true }, tone: { type: 'str' } };
	const { url } = await serveList([{ slug: 'retouch-1', parameters }]);
	const { fields } = await loadForm(url, 'retouch-1');
	const { body } = await runWithForm('retouch-1', storedForm(fields, {}), {}, [
		fileItem({ data: picture }),
	]);
	expect(body).toEqual({ canvas: FILE });
});

test('a hint names the item whose expression for a file resolves to nothing', async () => {
	const form = storedForm((await loadForm(UNREACHABLE, 'seedance-2.0-mini')).fields, {
		first_frame_url: '={{ $json.photo }}',
		last_frame_url: '',
	});
	const items = ['', GIVEN_URL].map((photo) => ({ json: { photo } }));
	const { hints } = succeed(await runWithForm('seedance-2.0-mini', form, VIDEO, items));
	expect(hints.filter((hint) => hint.includes('First Frame'))).toEqual([
		expect.stringMatching(/Item 1.*First Frame/),
	]);
});
