import type { INodeProperties } from 'n8n-workflow';

import { oneOf, textIn, trueOrFalse } from '../shared/inputs/values';
import { readManaged } from '../shared/request/managedCalls';
import type { Session } from '../shared/run/session';
import { isObject } from '../shared/service/schemas';
import { originOf } from '../shared/service/origins';
import { jsonOf } from '../shared/service/answers';
import { unusable } from '../shared/service/answerErrors';
import { fineTuneUrl, getWithJson } from './fineTune';
import { VARIANTS, type Variant } from './variants';

/** Fields of both dataset operations, after `variant` and what is uploaded. */
export const datasetFields: INodeProperties[] = [
	{
		displayName: 'Extension',
		name: 'extension',
		type: 'string',
		default: '.zip',
		description: 'Ending of the file, with its dot',
		displayOptions: { show: { variant: ['fastFlux', 'custom'] } },
	},
	{
		displayName: 'Public',
		name: 'public',
		type: 'boolean',
		default: false,
		description: 'Whether everybody may read the dataset. Fast Flux datasets always are public.',
		displayOptions: { show: { variant: ['custom'] } },
	},
];

/** Where a dataset goes. */
interface UploadPlace {
	presigned_url: string;
	/** What Submit takes. */
	s3_url: string;
}

/** What is asked of the service, and how the upload must then be sent. */
interface DatasetPlan {
	variant: Variant;
	body: { name: string; extension?: string; public?: boolean };
	/** Headers of the upload (docs/service.md S344): the public ones are part of the signature. */
	headers: Record<string, string>;
	isPublic: boolean;
}

/** @throws SegmindFailure naming the parameter that is no good, before any call */
export function planDataset(session: Session, itemIndex: number, name: string): DatasetPlan {
	const value = (parameter: string, fallback: unknown) =>
		session.context.getNodeParameter(parameter, itemIndex, fallback as string) as unknown;
	const variant = oneOf(value('variant', 'fluxPro'), 'Variant', VARIANTS);
	const isPublic =
		variant === 'fastFlux' ||
		(variant === 'custom' && trueOrFalse(value('public', false), 'Public'));
	const extension = textIn(value('extension', '.zip'));
	const body: DatasetPlan['body'] = { name };
	// Only the Fast Flux call takes these two (docs/service.md S343).
	if (variant === 'fastFlux') {
		body.extension = extension || '.zip';
		body.public = true;
	} else if (variant === 'custom') {
		if (extension !== '') body.extension = extension;
		body.public = isPublic;
	}
	return {
		variant,
		body,
		headers: {
			'content-type': 'application/zip',
			...(isPublic ? { 'x-amz-acl': 'public-read' } : {}),
		},
		isPublic,
	};
}

/** GET /finetune/request/upload/pre-signed-url with a JSON body (docs/service.md S343). */
export async function askForPlace(session: Session, plan: DatasetPlan): Promise<UploadPlace> {
	const subject = `the upload address for '${plan.body.name}'`;
	const answer = await readManaged(
		session,
		getWithJson(fineTuneUrl(session, '/upload/pre-signed-url'), { ...plan.body }),
		subject,
	);
	const place = jsonOf(answer);
	if (isObject(place)) {
		const { presigned_url, s3_url } = place;
		// `s3_url` is a text that Submit takes, not necessarily a web address; nothing here calls it.
		if (isAddress(presigned_url) && typeof s3_url === 'string' && s3_url.trim() !== '')
			return { presigned_url, s3_url };
	}
	throw unusable(session.client, answer, { purpose: 'manage', subject }, 'none');
}

function isAddress(value: unknown): value is string {
	return typeof value === 'string' && originOf(value) !== undefined;
}
