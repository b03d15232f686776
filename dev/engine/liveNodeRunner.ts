import './environment';

import { randomUUID } from 'node:crypto';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { systemClock } from '../../nodes/shared/base/clock';
import { openRun } from '../../nodes/shared/run/run';
import {
	addressesIn,
	SERVICE_URLS,
	joinUrl,
	type ServiceUrls,
} from '../../nodes/shared/service/addresses';
import { READ_TIMEOUT_MS } from '../../nodes/shared/service/client';
import { callUsing } from '../../nodes/shared/service/http';
import { CredentialStore } from './credentialStore';
import { execute } from './execution';
import { nodeOf, nodeTypesOfOne as nodeTypesWithOnly } from './node';
import { Wire } from './wire';

/** The service to check, and the nodes and credentials to use. */
export interface Target {
	/** Returns a node type by its name, such as `segmindCredits`. */
	node: (name: string) => INodeType;
	credentialTypes: ICredentialType[];
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** The access token of a signed-in user. */
	accessToken?: string;
	/** The URL of the page with the published prices. */
	pricesUrl: string;
	signal: AbortSignal;
}

/** Credentials whose tokens aren't renewed, because a refresh could sign the user out. */
class ReadOnlyCredentials extends CredentialStore {
	override async preAuthentication() {
		return undefined;
	}
}

/** For `npm run live`: runs our nodes in n8n's engine, and single calls through their client. One recorder, `wire`, records all calls. */
export class LiveNodeRunner {
	readonly wire = new Wire();

	/** Each lab has its own ID, because a rate limiter belongs to a credential, and another lab may have hit a limit. */
	private readonly credentialId = randomUUID();

	constructor(readonly target: Target) {}

	/**
	 * Runs a node for one item and returns its first output item. `changes` replace values of both credentials. @throws the node's error, but only
	 * if the node made no call: otherwise the recorded call says more than the error
	 */
	async run(
		node: string | INodeType,
		parameters: INodeParameters,
		{ item = {}, changes = {} }: { item?: IDataObject; changes?: IDataObject } = {},
	): Promise<IDataObject> {
		const { target, wire } = this;
		const { accessToken, credential, credentialTypes, signal } = target;
		const nodeType = typeof node === 'string' ? target.node(node) : node;
		const session = { customAddresses: true, accessToken, refreshToken: '' };
		const credentials = {
			segmindApi: { ...credential, ...changes },
			segmindSessionApi: { ...session, ...changes },
		} as Record<string, ICredentialDataDecryptedObject>;
		const callsBefore = wire.exchanges.length;
		const { data } = await execute({
			workflowId: `live ${callsBefore}`,
			executionId: `live ${callsBefore}`,
			nodes: [nodeOf({ parameters, credentialId: this.credentialId }, nodeType)],
			nodeTypes: nodeTypesWithOnly(wire.watch(nodeType)),
			credentials: new ReadOnlyCredentials(credentialTypes, credentials),
			mode: 'manual',
			input: [{ json: item }],
			signal,
		});
		const { error, runData } = data.resultData;
		if (error && wire.exchanges.length === callsBefore) throw error;
		return runData.Segmind?.at(-1)?.data?.main[0]?.[0]?.json ?? {};
	}

	/** Makes a GET call with the key. After a 429 it waits and calls again; any other response is final. */
	async get(origin: keyof ServiceUrls, path: string): Promise<void> {
		await this.runInNode(async (context) => {
			const { client } = await openRun(context, []);
			const deadline = client.clock.now() + 2 * READ_TIMEOUT_MS;
			await client.read(
				{ method: 'GET', url: this.urlOf(origin, path), timeoutMs: READ_TIMEOUT_MS },
				{ priority: 'result', deadline, isUsable: ({ status }) => status !== 429 },
			);
		});
	}

	/** Makes a GET call without the key. */
	async getPublic(url: string): Promise<void> {
		await this.runInNode(async (context) => {
			await callUsing(
				async (options): Promise<unknown> => await context.helpers.httpRequest(options),
				{ method: 'GET', url, timeoutMs: READ_TIMEOUT_MS },
				{ clock: systemClock },
			);
		});
	}

	urlOf(origin: keyof ServiceUrls, path: string): string {
		return joinUrl(addressesIn(this.target.credential, SERVICE_URLS)[origin], path);
	}

	/** Runs `work` as if it were the `execute` of a node with the Segmind API credential. */
	private async runInNode(work: (context: IExecuteFunctions) => Promise<void>): Promise<void> {
		const { description } = this.target.node('segmindCredits');
		const execute = async function (this: IExecuteFunctions) {
			await work(this);
			return [[]];
		};
		await this.run({ description: { ...description, properties: [] }, execute }, {});
	}
}
