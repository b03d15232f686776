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

import { openSession } from '../../nodes/shared/run/session';
import { addressesIn, SERVICE_URLS } from '../../nodes/shared/service/addresses';
import { READ_TIMEOUT_MS } from '../../nodes/shared/service/client';
import { joinUrl, type ServiceUrls } from '../../nodes/shared/service/origins';
import { fetchList } from '../../nodes/shared/service/picker';
import { CredentialStore } from './credentialStore';
import { execute } from './execution';
import { nodeOf } from './node';
import { onlyNodeType } from './nodeTypes';
import { Wire } from './wire';

/** What is checked, and with which nodes. */
export interface Target {
	/** By name, such as `segmindCredits`. */
	node: (name: string) => INodeType;
	credentialTypes: ICredentialType[];
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** The session of a user who is signed in. */
	accessToken?: string;
	/** The page with the published prices. */
	pricesUrl: string;
	signal: AbortSignal;
	/** Gets what nodes show the person who watches. */
	told: (message: string) => void;
}

/** Renews no token: a refresh may sign the user out. */
class ReadOnlyCredentials extends CredentialStore {
	override async preAuthentication() {
		return undefined;
	}
}

/** Runs our nodes in n8n's engine, and single calls through their client, all on one wire. */
export class Lab {
	readonly wire = new Wire();

	/** A rate limit that another lab has met is not this one's. */
	private readonly credentialId = randomUUID();

	constructor(readonly target: Target) {}

	/**
	 * Runs a node for one item and gives its first output item. `changes` replace values of both credentials. A failure isn't thrown if a call was
	 * made: the call says more.
	 */
	async run(
		node: string | INodeType,
		parameters: INodeParameters,
		{ item = {}, changes = {} }: { item?: IDataObject; changes?: IDataObject } = {},
	): Promise<IDataObject> {
		const { target, wire } = this;
		const { accessToken, credential, credentialTypes, signal, told } = target;
		const nodeType = typeof node === 'string' ? target.node(node) : node;
		const session = { customAddresses: true, accessToken, refreshToken: '' };
		const credentials = {
			segmindApi: { ...credential, ...changes },
			segmindSessionApi: { ...session, consoleUrl: 'https://unused.invalid', ...changes },
		} as Record<string, ICredentialDataDecryptedObject>;
		const callsBefore = wire.exchanges.length;
		const { data } = await execute({
			workflowId: `live ${callsBefore}`,
			executionId: `live ${callsBefore}`,
			nodes: [nodeOf({ parameters, credentialId: this.credentialId }, nodeType)],
			nodeTypes: onlyNodeType(wire.watch(nodeType)),
			credentials: new ReadOnlyCredentials(credentialTypes, credentials),
			mode: 'manual',
			input: [{ json: item }],
			signal,
			told,
		});
		const { error, runData } = data.resultData;
		if (error && wire.exchanges.length === callsBefore) throw error;
		return runData.Segmind?.at(-1)?.data?.main[0]?.[0]?.json ?? {};
	}

	/** A GET with the key. It waits out a rate limit and takes any other response as it is. */
	async get(origin: keyof ServiceUrls, path: string): Promise<void> {
		await this.inNode(async (context) => {
			const { client } = await openSession(context, []);
			const deadline = client.clock.now() + 2 * READ_TIMEOUT_MS;
			await client.read(
				{ method: 'GET', url: this.urlOf(origin, path), timeoutMs: READ_TIMEOUT_MS },
				{ priority: 'result', deadline, isUsable: ({ status }) => status !== 429 },
			);
		});
	}

	/** A GET without the key. */
	async getPublic(url: string): Promise<void> {
		await this.inNode(async ({ helpers }) => {
			await fetchList(url, async (options): Promise<unknown> => await helpers.httpRequest(options));
		});
	}

	urlOf(origin: keyof ServiceUrls, path: string): string {
		return joinUrl(addressesIn(this.target.credential, SERVICE_URLS)[origin], path);
	}

	/** Runs a function as a node with the credential Segmind API. */
	private async inNode(work: (context: IExecuteFunctions) => Promise<void>): Promise<void> {
		const { description } = this.target.node('segmindCredits');
		const execute = async function (this: IExecuteFunctions) {
			await work(this);
			return [[]];
		};
		await this.run({ description: { ...description, properties: [] }, execute }, {});
	}
}
