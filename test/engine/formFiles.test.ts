/** A file that the item brings and nobody has named. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { form, useForms } from '../helpers/forms';
import { fileRow, rows, textRow } from '../helpers/inference';
import { fileItem } from '../helpers/runNode';
import { typed } from '../helpers/modelForm';

const { list, sent } = useForms();

const picture = { bytes: Buffer.from('p'), mimeType: 'image/png' };
const other = { bytes: Buffer.from('q'), mimeType: 'image/webp' };
const sound = { bytes: Buffer.from('s'), mimeType: 'audio/mpeg' };
const FILE = expect.stringMatching(/^http/) as string;

describe('a file that is required and not given', () => {
	test.each<[string, string, Parameters<typeof fileItem>[0], INodeParameters, IDataObject]>([
		['the one that fits', 'esrgan', { voice: sound, photo: picture }, {}, { image: FILE }],
		['as a list', 'p-image-edit', { data: picture }, {}, { image_urls: [FILE] }],
		['a sound', 'eleven-labs-transcript', { a: picture, b: sound }, {}, { audio_url: FILE }],
		['two that fit', 'esrgan', { data: picture, data_1: other }, {}, {}],
		['none that fits', 'esrgan', { data: sound }, {}, {}],
		['two that are required', 'faceswap-v5', { data: picture }, {}, {}],
		['none that is required', 'veo-3.1', { data: picture }, {}, {}],
		['a model nobody knows', 'my-endpoint', { data: picture }, {}, {}],
		[
			'given in a row',
			'esrgan',
			{ data: picture },
			{
				additionalParameters: rows(textRow('image', 'https://a.b/c.png')),
			},
			{ image: 'https://a.b/c.png' },
		],
		[
			'used already',
			'faceswap-v5',
			{ data: picture },
			{ additionalParameters: rows(fileRow('source_image')) },
			{ source_image: FILE },
		],
	])('%s', async (_name, slug, files, more, body) => {
		const result = await sent(slug, undefined, more, [fileItem(files)]);
		expect(result.error).toBeUndefined();
		expect(result.body).toEqual(body);
		const isTold = result.hints.some((hint) => hint.startsWith('No file was given'));
		expect(isTold).toBe(Object.keys(body).length > 0 && Object.keys(more).length === 0);
	});

	test('as the stored form says, also for a model that only the list knows', async () => {
		const parameters = { canvas: { type: 'image', isRequired: true }, tone: { type: 'str' } };
		const { fields } = await form(
			(await list([{ slug: 'retouch-1', parameters }])).url,
			'retouch-1',
		);
		const { body } = await sent('retouch-1', typed(fields, {}), {}, [fileItem({ data: picture })]);
		expect(body).toEqual({ canvas: FILE });
	});
});

describe('an image that is neither required nor given', () => {
	const EDIT = { resource: 'image', operation: 'edit' };
	const VIDEO = { resource: 'video', operation: 'generate' };
	const row = (name: string, stringValue: string) => ({
		additionalParameters: rows({ name, type: 'string', stringValue }),
	});

	test.each<[string, INodeParameters, string, Parameters<typeof fileItem>[0], IDataObject]>([
		['a video', VIDEO, 'seedance-2.0-mini', { data: picture }, { first_frame_url: FILE }],
		['an edit', EDIT, 'seedream-4', { a: sound, b: picture }, { image_input: [FILE] }],
		['another task', { resource: 'image', operation: 'generate' }, 'nano-banana', { a: other }, {}],
		['Any Model', {}, 'seedance-2.0-mini', { data: picture }, {}],
		['a model without files', VIDEO, 'veo-3', { data: picture }, {}],
		['two images', VIDEO, 'seedance-2.0-mini', { a: picture, b: other }, {}],
		['no image', VIDEO, 'seedance-2.0-mini', { data: sound }, {}],
		[
			'a file is given',
			{ ...VIDEO, ...row('last_frame_url', 'https://a.b/c.png') },
			'seedance-2.0-mini',
			{ data: picture },
			{ last_frame_url: 'https://a.b/c.png' },
		],
		[
			'a file is given by a name that nobody knows',
			{
				...VIDEO,
				additionalParameters: rows(fileRow('style_image', 'data_1')),
			},
			'seedance-2.0-mini',
			{ data: picture, data_1: sound },
			{ style_image: FILE },
		],
	])('%s', async (_name, more, slug, files, body) => {
		const result = await sent(slug, undefined, more, [fileItem(files)]);
		expect(result.error).toBeUndefined();
		expect(result.body).toEqual(body);
		const isTold = result.hints.some((hint) => hint.startsWith('No file was given'));
		expect(isTold).toBe(Object.keys(body).length > 0 && !('additionalParameters' in more));
	});
});
