import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import { requiredText, showIf, textField } from '../shared/descriptions/fields';
import type { Operation } from '../shared/items/operations';
import { optionsField } from '../shared/descriptions/options';
import { wrongInput } from '../shared/errors/failures';
import { assertNotRawBase64, fileInDataUrl, readBinaries } from '../shared/inputs/files';
import { textIn } from '../shared/parameters/values';
import { mimeOf } from '../shared/media/fileContent';
import { byteLength, uploadFiles } from '../shared/media/uploadFiles';
import { fetchFile } from '../shared/media/download';
import { fileName, fileStem } from '../shared/media/fileNames';
import { bareType } from '../shared/media/mediaTypes';
import { doOnce } from '../shared/manage/doOnce';
import type { Item } from '../shared/run/item';
import type { Run } from '../shared/run/run';
import { decodeSegment, originOf } from '../shared/service/addresses';

/** Timeout for fetching a file from a public URL. */
const FETCH_TIMEOUT_MS = 900_000;

export const upload: Operation = {
	name: 'Upload File',
	description: 'Upload one or more files and get their URLs',
	action: 'Upload a file',
	fields: [
		{
			displayName: 'Source',
			name: 'source',
			type: 'options',
			options: [
				{
					name: 'Binary Data',
					value: 'binary',
					description: 'Files in the binary data of the item',
				},
				{
					name: 'Data URL',
					value: 'dataUrl',
					description: 'Content written as data:image/png;base64,…',
				},
				{
					name: 'Public URL',
					value: 'url',
					description: 'A publicly accessible file; n8n fetches and uploads it',
					displayOptions: { hide: { '@tool': [true] } },
				},
			],
			default: 'binary',
			description: 'Where the file comes from',
		},
		textField(
			'binaryFields',
			'Input Data Field Name',
			'Name of the binary field that holds the file; to upload several files in one request, separate the names with commas',
			{ default: 'data', required: true, ...showIf({ source: ['binary'] }) },
		),
		{
			...requiredText(
				'dataUrl',
				'Data URL',
				'One data URL, or a list of them from an expression',
				'e.g. data:image/png;base64,…',
			),
			...showIf({ source: ['dataUrl'] }),
		},
		{
			...requiredText(
				'url',
				'URL',
				'URL of the file. n8n fetches the file without the API key.',
				'e.g. https://example.com/photo.jpg',
			),
			...showIf({ source: ['url'] }),
		},
		optionsField('upload'),
	],
	output: {
		url: 'string',
		urls: 'texts',
		files: [{ url: 'string', file_name: 'string', mime_type: 'string', file_size: 'number' }],
	},
	execute: uploadItem,
};

/** Where the files of an item come from: read already, or at a public URL. */
type Source = { files: IBinaryData[] } | { url: string };

/** POST {uploadUrl}/upload-asset (free). */
async function uploadItem(item: Item): Promise<INodeExecutionData> {
	const { run } = item;
	const source = await readSource(item);
	return await doOnce(item, { subject: 'the upload', doneTwice: 'harmless' }, async () => {
		const files = 'url' in source ? [await fetchPublicFile(run, source.url)] : source.files;
		const urls = await uploadFiles(run, files);
		const fileItems = await Promise.all(
			files.map(async (file, at) => ({
				url: urls[at],
				file_name: file.fileName ?? '',
				mime_type: mimeOf(file),
				file_size: await byteLength(run, file),
			})),
		);
		return { json: { url: urls[0], urls, files: fileItems } };
	});
}

async function readSource(item: Item): Promise<Source> {
	const { parameters } = item;
	switch (parameters.choice('source', ['binary', 'dataUrl', 'url'])) {
		case 'dataUrl':
			return { files: readDataUrls(item) };
		case 'url':
			return { url: readPublicUrl(item) };
		case 'binary':
			return { files: await readBinaries(item, 'binaryFields') };
	}
}

const DATA_URL = 'a data URL with base64 content, such as data:image/png;base64,…';

/** Reads one data URL, or a list of them. */
function readDataUrls({ parameters }: Item): IBinaryData[] {
	const label = parameters.label('dataUrl');
	const value = parameters.value('dataUrl');
	const list: unknown[] = Array.isArray(value) ? value : textIn(value).split(/\s(?=data:)/i);
	const urls = list.map(textIn).filter((entry) => entry !== '');
	if (urls.length === 0) throw wrongInput(label, '', DATA_URL);
	return urls.map((url, at) => {
		assertNotRawBase64(label, url);
		const file = fileInDataUrl(`${label} ${at + 1}`, url);
		const mimeType = bareType(file?.mimeType);
		if (!file || mimeType === '') throw wrongInput(`${label} ${at + 1}`, url, DATA_URL);
		return { ...file, mimeType, fileName: fileName(`file-${at + 1}`, mimeType) };
	});
}

function readPublicUrl({ parameters }: Item): string {
	const url = parameters.text('url');
	if (originOf(url) !== undefined) return url;
	throw wrongInput(parameters.label('url'), url, 'a full URL that begins with https://');
}

async function fetchPublicFile(run: Run, url: string): Promise<IBinaryData> {
	const { pathname } = new URL(url);
	const ownName = pathname.split('/').pop() ?? '';
	const stem = fileStem((decodeSegment(ownName) ?? ownName).replace(/\.\w+$/, ''), undefined, 0);
	return await fetchFile(run, url, stem, FETCH_TIMEOUT_MS);
}
