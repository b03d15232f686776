import type {
	ICredentialsHelper,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { onlyNodeType } from './nodeTypes';
import { additionalData } from './surroundings';
import { pollContext } from './version';

/** A polling trigger in a workflow. */
export interface Polled {
	workflowId: string;
	/** Makes the node's type as a process does that has just started. */
	load: () => INodeType;
	/** The node as saved now; asked again at each activation. */
	node: (nodeType: INodeType) => INode;
	credentials: ICredentialsHelper;
	/** What n8n allows a poll, ms. */
	budgetMs?: number;
	/** Silent polls are saved too: n8n's durable cursors. */
	durable?: boolean;
}

type PollError = Error & { description?: string; httpCode?: string };

/**
 * Runs a polling trigger in n8n-core's PollContext, and keeps its static data as n8n does: saved after the poll at activation and after a poll
 * that emits, else in memory until n8n stops.
 */
export class Poller {
	/** What n8n's database holds of the workflow's static data: one object a node. */
	database: Record<string, IDataObject> = {};

	private nodeType: INodeType;

	private workflow: Workflow;

	/** Failed executions since activation. */
	readonly errors: PollError[] = [];

	constructor(private readonly polled: Polled) {
		this.nodeType = polled.load();
		this.workflow = this.loaded();
	}

	/** The first poll. @throws what makes n8n refuse to activate the workflow */
	async activate(): Promise<INodeExecutionData[]> {
		this.workflow = this.loaded();
		const items = (await this.run('trigger')) ?? [];
		this.save();
		return items;
	}

	/** A poll at its time; undefined when it starts nothing. */
	async poll(): Promise<INodeExecutionData[] | undefined> {
		try {
			const items = await this.run('trigger');
			if (items || this.polled.durable) this.save();
			return items;
		} catch (error) {
			this.errors.push(error as PollError);
			return undefined;
		}
	}

	/** "Fetch Test Event". */
	async sample(): Promise<INodeExecutionData[]> {
		return (await this.run('manual')) ?? [];
	}

	/** n8n stops, and starts again: memory is gone, the database stays. */
	async restart(): Promise<INodeExecutionData[]> {
		this.nodeType = this.polled.load();
		return await this.activate();
	}

	private save() {
		this.database = JSON.parse(JSON.stringify(this.workflow.staticData)) as Record<
			string,
			IDataObject
		>;
	}

	private loaded(): Workflow {
		return new Workflow({
			id: this.polled.workflowId,
			nodes: [this.polled.node(this.nodeType)],
			connections: {},
			nodeTypes: onlyNodeType(this.nodeType),
			active: true,
			settings: {},
			staticData: JSON.parse(JSON.stringify(this.database)) as IDataObject,
		});
	}

	private async run(mode: 'trigger' | 'manual'): Promise<INodeExecutionData[] | undefined> {
		const { credentials, workflowId, budgetMs = 20_000 } = this.polled;
		const nodes = Object.values(this.workflow.nodes);
		const surroundings = additionalData({ credentials, workflowId, nodes, mode });
		const context = pollContext(budgetMs, this.workflow, nodes[0], surroundings, mode, 'activate');
		const output = await this.nodeType.poll!.call(context);
		return output === null ? undefined : output[0];
	}
}
