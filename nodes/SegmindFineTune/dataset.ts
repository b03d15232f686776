import type { INodeProperties } from 'n8n-workflow';

import { readChoice, textIn, readBoolean } from '../shared/inputs/values';
import type { Session } from '../shared/run/session';
import { textOfMember } from '../shared/service/picker';
import { CAUSES } from '../shared/errors/errorTable';
import { failureOf } from '../shared/errors/failures';
import { originOf } from '../shared/service/origins';
import { getWithJsonBody } from './fineTune';
import { VARIANTS } from './variants';

/** The fields that both dataset operations have in addition to `variant` and the file. */
export const datasetFields: INodeProperties[] = [
	{
		displayName: 'Extension',
		name: 'extension',
		type: 'string',
		default: '.zip',
		description: 'File extension, including the dot',
		displayOptions: { show: { variant: ['fastFlux', 'custom'] } },
	},
	{
		displayName: 'Public',
		name: 'public',
		type: 'boolean',
		default: true,
		description: 'Whether anyone can read the dataset. Fast Flux requires public datasets.',
		displayOptions: { show: { variant: ['fastFlux', 'custom'] } },
	},
];

/** Where to upload a dataset, and the headers to send, which are part of the URL's signature (docs/service.md S344). */
interface UploadTarget {
	presigned_url: string;
	/** The value for Submit Job, which isn't always a web URL. */
	s3_url: string;
	headers: Record<string, string>;
	isPublic: boolean;
}

/** Calls GET /finetune/request/upload/pre-signed-url with a JSON body, to which some variants add the values of `datasetFields` (docs/service.md S343). */
export async function createUploadTarget(
	session: Session,
	itemIndex: number,
	name: string,
): Promise<UploadTarget> {
	const value = (parameter: string, fallback: unknown) =>
		session.context.getNodeParameter(parameter, itemIndex, fallback as string) as unknown;
	const variant = readChoice(value('variant', 'fluxPro'), 'Variant', VARIANTS);
	const hasDatasetFields = variant === 'fastFlux' || variant === 'custom';
	const isPublic = hasDatasetFields && readBoolean(value('public', true), 'Public');
	const extension = textIn(value('extension', '.zip'));
	const subject = `the upload URL for '${name}'`;
	const body = {
		name,
		...(hasDatasetFields && { ...(extension && { extension }), public: isPublic }),
	};
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
