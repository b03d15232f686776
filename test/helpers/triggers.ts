/** Both triggers of this package, hosted as n8n hosts them. A restart forgets what their modules hold in memory. */
import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import type { Follower } from '../../dev/engine/triggerWorkflow';
import { nodeOf } from '../../dev/engine/node';
import { Poller } from '../../dev/engine/poller';
import { hostWebhook, type TriggerSetup, type WebhookHost } from '../../dev/engine/webhookHost';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { credentialsFor, type Account } from './packageNodes';

export type { WebhookHost } from '../../dev/engine/webhookHost';

let workflows = 0;

/** Gives the node's type as it is, and from the second time on with modules of its own. */
function reloading(first: () => INodeType, path: string, name: string): () => INodeType {
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
	/** What n8n allows a poll, ms. */
	budgetMs?: number;
	durable?: boolean;
	/** Nodes after the trigger. */
	followers?: Follower[];
	/** Lets the time pass that some work takes; real time by default. */
	during?: <T>(work: Promise<T>) => Promise<T>;
}

/** Segmind Trigger in a workflow of its own. */
export class PollHost {
	private readonly poller: Poller;

	private parameters: INodeParameters;

	private readonly during: NonNullable<PollOptions['during']>;

	constructor({
		parameters,
		credentialId,
		budgetMs,
		durable: savesEveryPoll,
		followers,
		during,
		...account
	}: PollOptions) {
		this.parameters = parameters;
		this.during = during ?? (async (work) => await work);
		this.poller = new Poller({
			workflowId: `workflow${++workflows}`,
			load: reloading(
				() => new SegmindTrigger(),
				'../../nodes/SegmindTrigger/SegmindTrigger.node',
				'SegmindTrigger',
			),
			node: (nodeType) => nodeOf({ parameters: this.parameters, credentialId }, nodeType),
			credentials: credentialsFor(account),
			budgetMs,
			savesEveryPoll,
			followers,
		});
	}

	/** The first poll. @throws what makes n8n refuse to activate the workflow */
	async activate(): Promise<INodeExecutionData[]> {
		return await this.during(this.poller.activate());
	}

	/** A poll at its time; undefined when it starts nothing. */
	async poll(): Promise<INodeExecutionData[] | undefined> {
		return await this.during(this.poller.poll());
	}

	/** Ids of what a poll emits. */
	async ids(): Promise<unknown[]> {
		return ((await this.poll()) ?? []).map(({ json }) => json.request_id);
	}

	/** "Fetch Test Event". */
	async sample(): Promise<INodeExecutionData[]> {
		return await this.during(this.poller.fetchTestEvent());
	}

	/** n8n stops, and starts again: memory is gone, the database stays. `changed` replaces parameters, as an edit in between does. */
	async restart(changed: INodeParameters = {}): Promise<INodeExecutionData[]> {
		this.parameters = { ...this.parameters, ...changed };
		return await this.during(this.poller.restart());
	}

	/** Deactivated and activated again in the same process. */
	async reactivate(changed: INodeParameters = {}): Promise<INodeExecutionData[]> {
		this.parameters = { ...this.parameters, ...changed };
		return await this.during(this.poller.activate());
	}

	/** Failed executions since activation. */
	get errors() {
		return this.poller.errors;
	}

	/** What the database holds as the node's static data; to be spoiled. */
	get saved(): IDataObject {
		const [own] = Object.values(this.poller.database);
		return own ?? {};
	}

	/** The same as text. */
	get stored(): string {
		return JSON.stringify(this.poller.database);
	}
}

export interface HostOptions extends Account {
	parameters?: INodeParameters;
	/** False: the node has none. */
	hasCredential?: boolean;
}

/** Segmind Fine-Tune Trigger in a workflow of its own. */
export async function hostTrigger(options: HostOptions): Promise<WebhookHost> {
	return await hostWebhook(fineTuneTrigger(options));
}

function fineTuneTrigger({
	parameters = {},
	hasCredential = true,
	...account
}: HostOptions): TriggerSetup {
	const workflowId = `workflow${++workflows}`;
	return {
		workflowId,
		load: reloading(
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
	};
}
