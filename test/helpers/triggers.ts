/** Both triggers of this package, hosted as n8n hosts them. A restart forgets what their modules hold in memory. */
import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import type { Follower } from '../../dev/engine/triggerWorkflow';
import type { CredentialStore } from '../../dev/engine/credentialStore';
import { nodeOf } from '../../dev/engine/node';
import { Poller } from '../../dev/engine/poller';
import { hostWebhook, type WebhookHost } from '../../dev/engine/webhookHost';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { credentialsFor, type Account } from './packageNodes';

export type { WebhookHost } from '../../dev/engine/webhookHost';

let workflows = 0;

/** Returns a function that loads the node type. From its second call on, it loads the modules anew, as a restarted process does. */
function loaderOf(first: () => INodeType, path: string, name: string): () => INodeType {
	let isLoaded = false;
	return () => {
		if (!isLoaded) {
			isLoaded = true;
			return first();
		}
		let nodeType: INodeType | undefined;
		jest.isolateModules(() => {
			nodeType = new (jest.requireActual<Record<string, new () => INodeType>>(path)[name])();
		});
		return nodeType!;
	};
}

export interface PollOptions extends Account {
	parameters: INodeParameters;
	credentialId?: string;
	/** How long n8n lets a poll take, ms. */
	budgetMs?: number;
	/** Whether n8n saves the static data after a poll without items too. */
	savesEveryPoll?: boolean;
	/** Whether n8n loads the workflow for each poll, as on its durable scheduler. */
	loadsEveryPoll?: boolean;
	/** Nodes after the trigger. */
	followers?: Follower[];
	/** Runs work in virtual time. By default, it runs in real time. */
	inVirtualTime?: <T>(work: Promise<T>) => Promise<T>;
}

/** Segmind Trigger in a workflow of its own. */
export class PollHost {
	private readonly poller: Poller;

	private parameters: INodeParameters;

	/** The credential that the node has. A test may choose another, or change its members. */
	credentialId?: string;

	readonly credentials: CredentialStore;

	private readonly inVirtualTime: NonNullable<PollOptions['inVirtualTime']>;

	constructor({
		parameters,
		credentialId,
		budgetMs,
		savesEveryPoll,
		loadsEveryPoll,
		followers,
		inVirtualTime,
		...account
	}: PollOptions) {
		this.parameters = parameters;
		this.credentialId = credentialId;
		this.credentials = credentialsFor(account);
		this.inVirtualTime = inVirtualTime ?? (async (work) => await work);
		this.poller = new Poller({
			workflowId: `workflow${++workflows}`,
			load: loaderOf(
				() => new SegmindTrigger(),
				'../../nodes/SegmindTrigger/SegmindTrigger.node',
				'SegmindTrigger',
			),
			node: (nodeType) =>
				nodeOf({ parameters: this.parameters, credentialId: this.credentialId }, nodeType),
			credentials: this.credentials,
			budgetMs,
			savesEveryPoll,
			loadsEveryPoll,
			followers,
		});
	}

	/** Activates the workflow with a first poll. @throws the error that prevents activation */
	async activate(): Promise<INodeExecutionData[]> {
		return await this.inVirtualTime(this.poller.activate());
	}

	/** Polls as scheduled. Returns undefined if the poll starts nothing. */
	async poll(): Promise<INodeExecutionData[] | undefined> {
		return await this.inVirtualTime(this.poller.poll());
	}

	/** Polls. Returns the IDs of the emitted requests. */
	async pollIds(): Promise<unknown[]> {
		return ((await this.poll()) ?? []).map(({ json }) => json.request_id);
	}

	/** Presses Fetch Test Event. */
	async fetchTestEvent(): Promise<INodeExecutionData[]> {
		return await this.inVirtualTime(this.poller.fetchTestEvent());
	}

	/** Restarts n8n: memory is lost, the database stays. `changed` replaces parameters, as an edit would. */
	async restart(changed: INodeParameters = {}): Promise<INodeExecutionData[]> {
		this.parameters = { ...this.parameters, ...changed };
		return await this.inVirtualTime(this.poller.restart());
	}

	/** Deactivates the workflow and activates it again in the same process. */
	async reactivate(changed: INodeParameters = {}): Promise<INodeExecutionData[]> {
		this.parameters = { ...this.parameters, ...changed };
		return await this.inVirtualTime(this.poller.activate());
	}

	/** Failed executions since activation. */
	get errors() {
		return this.poller.errors;
	}

	/** The node's static data in the database; a test may corrupt it. */
	get staticData(): IDataObject {
		const [staticData] = Object.values(this.poller.database);
		return staticData ?? {};
	}

	/** All static data in the database, as text. */
	get staticDataText(): string {
		return JSON.stringify(this.poller.database);
	}
}

export interface HostOptions extends Account {
	parameters?: INodeParameters;
	/** False if the node has no credential. */
	hasCredential?: boolean;
}

/** Segmind Fine-Tune Trigger in a workflow of its own. */
export async function hostTrigger({
	parameters = {},
	hasCredential = true,
	...account
}: HostOptions): Promise<WebhookHost> {
	const workflowId = `workflow${++workflows}`;
	return await hostWebhook({
		workflowId,
		load: loaderOf(
			() => new SegmindFineTuneTrigger(),
			'../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node',
			'SegmindFineTuneTrigger',
		),
		node(nodeType) {
			const node = nodeOf({ parameters, credentialId: workflowId }, nodeType);
			if (!hasCredential) delete node.credentials;
			return node;
		},
		credentials: credentialsFor(account),
	});
}
