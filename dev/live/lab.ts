import '../engine/environment';

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
import { READ_LIMIT_MS } from '../../nodes/shared/service/client';
import { joinUrl, type ServiceUrls } from '../../nodes/shared/service/origins';
import { fetchList } from '../../nodes/shared/service/picker';
import { CredentialStore } from '../engine/credentialStore';
import { execute } from '../engine/execution';
import { nodeOf } from '../engine/node';
import { onlyNodeType } from '../engine/nodeTypes';
import { Wire } from './wire';

/** What is checked, and with which nodes. */
export interface Target {
	/** By name, such as `segmindCredits`. */
	node: (name: string) => INodeType;
	credentialTypes: ICredentialType[];
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
	/** Of somebody who is signed in. */
	accessToken?: string;
	/** Where the account API may be: our default, others, and the console. */
	accountUrls: string[];
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

	private runs = 0;

	constructor(readonly target: Target) {}

	/** Runs a node for one item and gives the first output item. `changes` replace values of the credential. A failed call isn't thrown: it's on the wire. */
	async run(
		node: string,
		parameters: INodeParameters,
		{ item = {}, changes = {} }: { item?: IDataObject; changes?: IDataObject } = {},
	): Promise<IDataObject> {
		const segmindApi = { ...this.target.credential, ...changes } as ICredentialDataDecryptedObject;
		return await this.execute(this.target.node(node), parameters, { segmindApi }, item);
	}

	/** Reads the profile at an account URL. */
	async readProfile(accountUrl: string): Promise<void> {
		const { accessToken = '', node } = this.target;
		const addresses = { customAddresses: true, accountUrl, consoleUrl: accountUrl };
		const segmindSessionApi = { ...addresses, accessToken, refreshToken: '' };
		const parameters = { resource: 'session', operation: 'getProfile' };
		await this.execute(node('segmindAccount'), parameters, { segmindSessionApi });
	}

	/** A GET with the key. It waits out a rate limit and takes any other response as it is. */
	async get(origin: keyof ServiceUrls, path: string): Promise<void> {
		await this.inside(async (context) => {
			const { client } = await openSession(context, []);
			const call = {
				method: 'GET',
				url: this.urlOf(origin, path),
				limitMs: READ_LIMIT_MS,
			} as const;
			const deadline = client.clock.now() + 2 * READ_LIMIT_MS;
			const isUsable = ({ status }: { status: number }) => status !== 429;
			await client.read(call, { purpose: 'result', deadline, isUsable });
		});
	}

	/** A GET without the key. */
	async getPublic(url: string): Promise<void> {
		await this.inside(async ({ helpers }) => {
			await fetchList(url, async (options): Promise<unknown> => await helpers.httpRequest(options));
		});
	}

	urlOf(origin: keyof ServiceUrls, path: string): string {
		return joinUrl(addressesIn(this.target.credential, SERVICE_URLS)[origin], path);
	}

	/** Runs a function as a node with the credential Segmind API. */
	private async inside(work: (context: IExecuteFunctions) => Promise<void>): Promise<void> {
		const { node, credential } = this.target;
		const execute = async function (this: IExecuteFunctions) {
			await work(this);
			return [[]];
		};
		const description = { ...node('segmindCredits').description, properties: [] };
		await this.execute({ description, execute }, {}, { segmindApi: credential });
	}

	private async execute(
		nodeType: INodeType,
		parameters: INodeParameters,
		credentials: Record<string, ICredentialDataDecryptedObject>,
		json: IDataObject = {},
	): Promise<IDataObject> {
		const { wire, target } = this;
		const callsBefore = wire.exchanges.length;
		const watched = Object.create(nodeType) as INodeType;
		watched.execute = async function () {
			return await nodeType.execute!.call(wire.watch(this));
		};
		const id = `live ${++this.runs}`;
		const { data } = await execute({
			workflowId: id,
			executionId: id,
			nodes: [nodeOf({ parameters }, nodeType)],
			nodeTypes: onlyNodeType(watched),
			credentials: new ReadOnlyCredentials(target.credentialTypes, credentials),
			mode: 'manual',
			input: [{ json }],
			signal: target.signal,
			told: target.told,
		});
		const { error, runData } = data.resultData;
		if (error && wire.exchanges.length === callsBefore) throw error;
		return runData.Segmind?.at(-1)?.data?.main[0]?.[0]?.json ?? {};
	}
}
