/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

import type { ICredentialType, INodeType } from 'n8n-workflow';

import { BUILT, PACKAGE, ROOT } from './project';

const load = createRequire(__filename);

/** Returns the nodes in dist by full type name, instantiated as n8n does it. */
export function builtNodes(): Record<string, INodeType> {
	return Object.fromEntries(
		BUILT.nodes.map((path) => {
			const nodeType = instanceOf<INodeType>(join(ROOT, path));
			return [`${PACKAGE}.${nodeType.description.name}`, nodeType];
		}),
	);
}

export function builtCredentials(): ICredentialType[] {
	return BUILT.credentials.map((path) => instanceOf<ICredentialType>(join(ROOT, path)));
}

/** Instantiates the class of a node or credential file, which is named after the class. */
export function instanceOf<T>(path: string): T {
	const exported = load(path) as Record<string, new () => T>;
	return new exported[basename(path).split('.')[0]]();
}
