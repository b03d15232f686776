import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

import { alone, type Hooked } from './alone';
import { pollContext } from './version';

/** A polling trigger. Its node is loaded again at each activation. */
interface Polled extends Hooked {
	/** What n8n allows a poll, ms. */
	budgetMs?: number;
	/** Silent polls are saved too: n8n's durable cursors. */
	durable?: boolean;
}

/**
 * Runs a polling trigger in n8n-core's PollContext, and keeps its static data as n8n does: saved after the poll at activation and after a poll
 * that emits, else in memory until n8n stops.
 */
export class Poller {
	/** What n8n's database holds of the workflow's static data: one object a node. */
	database: Record<string, IDataObject> = {};

	private nodeType: INodeType;

	private running: ReturnType<typeof alone>;

	/** Failed executions since activation. */
	readonly errors: Error[] = [];

	constructor(private readonly polled: Polled) {
		this.nodeType = polled.load();
		this.running = this.loaded();
	}

	/** The first poll. @throws the error for which n8n doesn't activate the workflow */
	async activate(): Promise<INodeExecutionData[]> {
		this.running = this.loaded();
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
			this.errors.push(error as Error);
			return undefined;
		}
	}

	/** "Fetch Test Event". */
	async sample(): Promise<INodeExecutionData[]> {
		return (await this.run('manual')) ?? [];
	}

	/** Restarts n8n: the memory is lost, the database stays. */
	async restart(): Promise<INodeExecutionData[]> {
		this.nodeType = this.polled.load();
		return await this.activate();
	}

	private save() {
		this.database = copyOf(this.running.workflow.staticData) as typeof this.database;
	}

	private loaded() {
		const { nodeType, polled } = this;
		const { workflowId, credentials, followers } = polled;
		const [node, staticData] = [polled.node(nodeType), copyOf(this.database)];
		const mode = 'trigger';
		return alone({ workflowId, nodeType, node, credentials, mode, staticData, followers });
	}

	private async run(mode: 'trigger' | 'manual'): Promise<INodeExecutionData[] | undefined> {
		const { budgetMs = 20_000 } = this.polled;
		const { workflow, surroundings } = this.running;
		const [node] = Object.values(workflow.nodes);
		const context = pollContext(budgetMs, workflow, node, surroundings, mode, 'activate');
		const output = await this.nodeType.poll!.call(context);
		return output === null ? undefined : output[0];
	}
}

function copyOf(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data)) as IDataObject;
}
