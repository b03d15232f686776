import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

import { createTriggerWorkflow, type TriggerSetup } from './triggerWorkflow';
import { pollContext } from './version';

/** A polling trigger, whose workflow is loaded again at each activation. */
interface PollerSetup extends TriggerSetup {
	/** The time that n8n allows for a poll. */
	budgetMs?: number;
	/** Whether the static data is saved after a poll without items too, as with n8n's durable cursors. */
	savesEveryPoll?: boolean;
	/** Whether the workflow is loaded for each poll, as on n8n's durable scheduler. */
	loadsEveryPoll?: boolean;
}

/**
 * Runs a polling trigger in n8n-core's PollContext, and keeps its static data as n8n does: it's saved after the poll at activation and after a
 * poll that emits items; until then it's only in memory.
 */
export class Poller {
	/** The workflow's static data in n8n's database, an object for each node. */
	database: Record<string, IDataObject> = {};

	private nodeType: INodeType;

	private loadedWorkflow: ReturnType<typeof createTriggerWorkflow>;

	/** The errors of failed polls. */
	readonly errors: Error[] = [];

	constructor(private readonly setup: PollerSetup) {
		this.nodeType = setup.load();
		this.loadedWorkflow = this.loadWorkflow();
	}

	/** Activates the workflow, with a first poll. @throws the poll's error, after which n8n doesn't activate the workflow */
	async activate(): Promise<INodeExecutionData[]> {
		this.loadedWorkflow = this.loadWorkflow();
		const items = (await this.run('trigger')) ?? [];
		this.save();
		return items;
	}

	/** Makes a scheduled poll. Returns undefined if it starts no execution. */
	async poll(): Promise<INodeExecutionData[] | undefined> {
		if (this.setup.loadsEveryPoll) this.loadedWorkflow = this.loadWorkflow();
		try {
			const items = await this.run('trigger');
			if (items || this.setup.savesEveryPoll) this.save();
			return items;
		} catch (error) {
			this.errors.push(error as Error);
			return undefined;
		}
	}

	/** Polls like the button "Fetch Test Event". */
	async fetchTestEvent(): Promise<INodeExecutionData[]> {
		return (await this.run('manual')) ?? [];
	}

	/** Restarts n8n, which loses its memory but not its database. */
	async restart(): Promise<INodeExecutionData[]> {
		this.nodeType = this.setup.load();
		return await this.activate();
	}

	private save() {
		this.database = copyOf(this.loadedWorkflow.workflow.staticData) as typeof this.database;
	}

	private loadWorkflow() {
		const { nodeType, setup } = this;
		const { workflowId, credentials, followers } = setup;
		const [node, staticData] = [setup.node(nodeType), copyOf(this.database)];
		const mode = 'trigger';
		return createTriggerWorkflow({
			workflowId,
			nodeType,
			node,
			credentials,
			mode,
			staticData,
			followers,
		});
	}

	private async run(mode: 'trigger' | 'manual'): Promise<INodeExecutionData[] | undefined> {
		const { budgetMs = 20_000 } = this.setup;
		const { workflow, additionalData } = this.loadedWorkflow;
		const [node] = Object.values(workflow.nodes);
		const context = pollContext(budgetMs, workflow, node, additionalData, mode, 'activate');
		const output = await this.nodeType.poll!.call(context);
		return output === null ? undefined : output[0];
	}
}

function copyOf(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data)) as IDataObject;
}
