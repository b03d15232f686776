import type { INodeProperties } from 'n8n-workflow';

import { oneOf } from '../shared/inputs/values';
import type { Session } from '../shared/run/session';
import { assertAddress, joinUrl } from '../shared/service/origins';

type Environment = 'production' | 'staging';

export const environmentField: INodeProperties = {
	displayName: 'Environment',
	name: 'environment',
	type: 'options',
	options: [
		{ name: 'Production', value: 'production' },
		{ name: 'Staging', value: 'staging' },
	],
	default: 'production',
	description:
		'Production and staging have separate endpoints. Their addresses are in the credential.',
};

/** @throws SegmindFailure when an expression gives anything else: a GPU in the wrong place costs money too */
export function readEnvironment(session: Session, itemIndex: number): Environment {
	const value = session.context.getNodeParameter('environment', itemIndex, 'production');
	return oneOf(value, 'Environment', ['production', 'staging'] as const);
}

/** Every call of this root carries it, also one without a body (docs/service.md S320). */
export const ENDPOINT_HEADERS = { 'content-type': 'application/json' };

/** The address of one of the endpoint calls (docs/service.md S3, S4). */
export function endpointUrl(session: Session, environment: Environment, path: string): string {
	const { endpointAdminUrl, endpointAdminStagingUrl } = session.client.urls;
	return joinUrl(
		environment === 'staging'
			? assertAddress(endpointAdminStagingUrl, 'Endpoint Admin Staging URL')
			: assertAddress(endpointAdminUrl, 'Endpoint Admin URL'),
		path,
	);
}
