/**
 * Runs the polling trigger in n8n-core's PollContext, and keeps its static data as n8n does: saved after the poll at activation and after a poll
 * that emits, else in memory until n8n stops (platform fact 18). With `durable`, silent polls are saved too (fact 42).
 */
import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import type { Emulator } from '../../dev/emulator';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { pollContext } from './engineVersion';
import { additionalDataOf, nodeOf, typesOf } from './harness';

export interface PollOptions {
	emulator: Emulator;
	parameters: INodeParameters;
	credential?: IDataObject;
	credentialId?: string;
	/** What n8n allows a poll, ms. */
	budgetMs?: number;
	durable?: boolean;
}

type PollError = Error & { description?: string; httpCode?: string };

let workflows = 0;

export class PollHost {
	/** n8n's database. */
	private database: IDataObject = {};

	private workflow: Workflow;

	private readonly id = `workflow${++workflows}`;

	private nodeType: INodeType = new SegmindTrigger();

	/** Failed executions since activation. */
	readonly errors: PollError[] = [];

	constructor(private readonly options: PollOptions) {
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
			if (items || this.options.durable) this.save();
			return items;
		} catch (error) {
			this.errors.push(error as PollError);
			return undefined;
		}
	}

	/** Ids of what a poll emits. */
	async ids(): Promise<unknown[]> {
		return ((await this.poll()) ?? []).map(({ json }) => json.request_id);
	}

	/** "Fetch Test Event". */
	async sample(): Promise<INodeExecutionData[]> {
		return (await this.run('manual')) ?? [];
	}

	/** n8n stops, and starts again: memory is gone, the database stays. `changed` replaces parameters, as an edit in between does. */
	async restart(changed: INodeParameters = {}): Promise<INodeExecutionData[]> {
		this.options.parameters = { ...this.options.parameters, ...changed };
		jest.isolateModules(() => {
			const fresh = jest.requireActual<{ SegmindTrigger: new () => INodeType }>('../../nodes/SegmindTrigger/SegmindTrigger.node');
			this.nodeType = new fresh.SegmindTrigger();
		});
		return await this.activate();
	}

	/** Deactivated and activated again in the same process. */
	async reactivate(changed: INodeParameters = {}): Promise<INodeExecutionData[]> {
		this.options.parameters = { ...this.options.parameters, ...changed };
		return await this.activate();
	}

	/** What the database holds, as text. */
	get stored(): string {
		return JSON.stringify(this.database);
	}

	private save() {
		this.database = JSON.parse(JSON.stringify(this.workflow.staticData)) as IDataObject;
	}

	private loaded(): Workflow {
		const node = nodeOf(this.options, this.nodeType);
		return new Workflow({
			id: this.id,
			nodes: [node],
			connections: {},
			nodeTypes: typesOf(this.nodeType),
			active: true,
			settings: {},
			staticData: JSON.parse(JSON.stringify(this.database)) as IDataObject,
		});
	}

	private async run(mode: 'trigger' | 'manual'): Promise<INodeExecutionData[] | undefined> {
		const { workflow, options } = this;
		const [node] = Object.values(workflow.nodes);
		const context = pollContext(options.budgetMs ?? 20_000, workflow, node, additionalDataOf(options, node, []), mode, 'activate');
		const output = await this.nodeType.poll!.call(context);
		return output === null ? undefined : output[0];
	}
}
