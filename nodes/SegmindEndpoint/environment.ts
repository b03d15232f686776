import type { INodeProperties } from 'n8n-workflow';

import { readChoice } from '../shared/inputs/values';
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
		'Each environment has its own endpoints. The API addresses of both environments are in the credential.',
};

/** Reads the environment. @throws SegmindFailure if an expression returns another value, because a GPU in the wrong environment also costs money */
export function readEnvironment(session: Session, itemIndex: number): Environment {
	const value = session.context.getNodeParameter('environment', itemIndex, 'production');
	return readChoice(value, 'Environment', ['production', 'staging'] as const);
}

/** The headers of every endpoint call, even of a call without a body (docs/service.md S320). */
export const ENDPOINT_HEADERS = { 'content-type': 'application/json' };

/** Returns the URL of an endpoint call (docs/service.md S3, S4). */
export function endpointUrl(session: Session, environment: Environment, path: string): string {
	const { endpointAdminUrl, endpointAdminStagingUrl } = session.client.urls;
	return joinUrl(
		environment === 'staging'
			? assertAddress(endpointAdminStagingUrl, 'Endpoint Admin Staging URL')
			: assertAddress(endpointAdminUrl, 'Endpoint Admin URL'),
		path,
	);
}
