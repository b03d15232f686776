import type { INodeProperties } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { requiredText, switchField, textField } from '../shared/descriptions/fields';
import type { Operations } from '../shared/descriptions/operations';
import { OPTION_SETS, optionsField } from '../shared/descriptions/options';
import { CAUSES } from '../shared/errors/errorTable';
import { failureOf, wrongState } from '../shared/errors/failures';
import { binariesOf } from '../shared/inputs/files';
import { readBoolean, readChoice, readRequiredText, textIn } from '../shared/inputs/values';
import { doOnce } from '../shared/manage/doOnce';
import { putFile } from '../shared/media/putFile';
import { byteLength } from '../shared/media/upload';
import type { Session } from '../shared/run/session';
import { originOf } from '../shared/service/origins';
import { getWithJsonBody } from './calls';
import { variantField, VARIANTS } from './variants';

/** Exclusive upper limit for datasets of Flux Pro and Fast Flux (docs/service.md S228). */
const MAX_DATASET_BYTES = 100_000_000;

const displayOptions = { show: { variant: ['fastFlux', 'custom'] } };

/** The fields that both operations have in addition to `variant` and the file. */
const datasetFields: INodeProperties[] = [
	textField('extension', 'Extension', 'File extension, including the dot', {
		default: '.zip',
		displayOptions,
	}),
	switchField(
		'public',
		'Public',
		'Whether anyone can read the dataset. Fast Flux requires public datasets.',
		{ default: true, displayOptions },
	),
];

export const dataset: Operations = {
	/** Gets a presigned URL and uploads the ZIP (docs/service.md S343, S344; free). A retry doesn't repeat an upload that succeeded. */
	upload: {
		name: 'Upload Dataset',
		description: 'Upload a ZIP file and get its URL for Submit Job',
		action: 'Upload a training dataset',
		fields: [
			variantField,
			textField(
				'binaryField',
				'Binary Field',
				'Name of the binary field that holds the ZIP; under 100 MB for Flux Pro and Fast Flux. Put the images at the top level, not in folders.',
				{ default: 'data', required: true },
			),
			textField(
				'name',
				'File Name',
				'Name of the file on Segmind. Leave it empty to keep the original name.',
				{ placeholder: 'e.g. sneakers.zip' },
			),
			...datasetFields,
			optionsField(OPTION_SETS.upload),
		],
		execute: async (session, itemIndex) => {
			const { context } = session;
			const field = readRequiredText(context, itemIndex, 'binaryField', 'Binary Field');
			const [file] = binariesOf(session, itemIndex, field, 'Binary Field');
			const ownName = textIn(context.getNodeParameter('name', itemIndex));
			const name = ownName || file.fileName || 'dataset.zip';
			const bytes = await byteLength(session, file);
			const variant = context.getNodeParameter('variant', itemIndex) as string;
			const isLimited = variant === 'fluxPro' || variant === 'fastFlux';
			const limit = isLimited ? ' under 100 MB' : '';
			if (bytes === 0 || (isLimited && bytes >= MAX_DATASET_BYTES))
				throw wrongState(
					`Binary Field '${field}'`,
					`a file of ${bytes} bytes`,
					`a ZIP file with content${limit}`,
				);
			const action = { itemIndex, subject: 'the upload of the dataset' };
			return await doOnce(session, action, async () => {
				const target = await createUploadTarget(session, itemIndex, name);
				const { presigned_url: url, s3_url, headers, isPublic } = target;
				await putFile(session, { url, headers, file, bytes, name });
				return { json: { s3_url, file_name: name, file_size: bytes, public: isPublic } };
			});
		},
	},
	/** GET {baseUrl}/finetune/request/upload/pre-signed-url with a JSON body (docs/service.md S343). */
	createUploadUrl: {
		name: 'Create Dataset Upload URL',
		description: 'Get a URL for uploading a dataset with another tool',
		action: 'Create an upload URL for a dataset',
		fields: [
			variantField,
			requiredText(
				'name',
				'File Name',
				'Name of the file that will be uploaded',
				'e.g. sneakers.zip',
			),
			...datasetFields,
		],
		execute: async (session, itemIndex) => {
			const name = readRequiredText(session.context, itemIndex, 'name', 'File Name');
			const { presigned_url, s3_url, headers } = await createUploadTarget(session, itemIndex, name);
			return { json: { presigned_url, s3_url, headers } };
		},
	},
};

/** Where to upload a dataset, and the headers to send, which are part of the URL's signature (docs/service.md S344). */
interface UploadTarget {
	presigned_url: string;
	/** The value for Submit Job, which isn't always a web URL. */
	s3_url: string;
	headers: Record<string, string>;
	isPublic: boolean;
}

async function createUploadTarget(
	session: Session,
	itemIndex: number,
	name: string,
): Promise<UploadTarget> {
	const value = (parameter: string, fallback: unknown) =>
		session.context.getNodeParameter(parameter, itemIndex, fallback as string) as unknown;
	const variant = readChoice(value('variant', 'fluxPro'), 'Variant', VARIANTS);
	const hasDatasetFields = variant === 'fastFlux' || variant === 'custom';
	const isPublic = hasDatasetFields && readBoolean(value('public', true), 'Public');
	const extension = textIn(value('extension', '.zip')) || undefined;
	const subject = `the upload URL for '${name}'`;
	const body = { name, ...(hasDatasetFields && { extension, public: isPublic }) };
	const target = await getWithJsonBody(session, '/upload/pre-signed-url', body, subject);
	const presigned_url = textOfMember(target, 'presigned_url');
	const s3_url = textOfMember(target, 's3_url');
	if (originOf(presigned_url) === undefined || s3_url === '')
		throw failureOf('unreadable', CAUSES.noUploadAddress, { subject });
	const headers = {
		'content-type': 'application/zip',
		...(isPublic && { 'x-amz-acl': 'public-read' }),
	};
	return { presigned_url, s3_url, headers, isPublic };
}
