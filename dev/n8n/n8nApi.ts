/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import { parse } from 'flatted';
import type {
	ExecutionStatus,
	ICredentialDataDecryptedObject,
	IRunExecutionData,
} from 'n8n-workflow';

import type { WorkflowFile } from '../base/workflows';

/** The maximum time for one call, execution or wait. It's long because a busy computer is slow. */
export const MAX_WAIT_MS = 240_000;

export interface SavedWorkflow extends WorkflowFile {
	id: string;
	versionId: string;
}

export interface Execution {
	id: string;
	status: ExecutionStatus;
	mode: string;
	finished: boolean;
	data: IRunExecutionData;
}

/** A reference to something that n8n stores. */
export interface Ref {
	id: string;
	name: string;
}

/** The owner of each n8n. n8n requires a digit and an uppercase letter in the password. */
export const OWNER = {
	email: 'owner@example.com',
	password: 'Segmind-1234',
	firstName: 'Segmind',
	lastName: 'Owner',
};

const ENDED: ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

/** n8n's REST API, as n8n's editor uses it. Every function throws an error with n8n's message if a call is rejected. */
export class N8nApi {
	private cookie = '';

	constructor(readonly url: string) {}

	/** Creates the owner of a new n8n and signs in. */
	async setUpOwner(): Promise<void> {
		await this.call('POST', '/owner/setup', OWNER);
	}

	async signIn(): Promise<void> {
		const { email, password } = OWNER;
		await this.call('POST', '/login', { emailOrLdapLoginId: email, password });
	}

	async createCredential(
		type: string,
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<Ref> {
		return await this.call('POST', '/credentials', { type, name, data });
	}

	/** Tests a saved credential. Returns what the Test button shows. */
	async testCredential(
		type: string,
		{ id, name }: Ref,
	): Promise<{ status: string; message: string }> {
		// As in the editor, secrets are sent in both directions as placeholders.
		const path = `/credentials/${id}?includeData=true`;
		const { data } = await this.call<{ data: object }>('GET', path);
		return await this.call('POST', '/credentials/test', { credentials: { id, name, type, data } });
	}

	/** Imports a workflow. `credentials`, by type, replace the workflow's credentials. */
	async createWorkflow(
		{ name, nodes, connections, settings, pinData }: WorkflowFile,
		credentials: Record<string, Ref> = {},
	): Promise<SavedWorkflow> {
		const linked = nodes.map((node) => ({
			...node,
			...(node.credentials && {
				credentials: Object.fromEntries(
					Object.entries(node.credentials).map(([type, ref]) => [type, credentials[type] ?? ref]),
				),
			}),
		}));
		const workflow = { name, nodes: linked, connections, settings, pinData };
		return await this.call('POST', '/workflows', workflow);
	}

	async updateWorkflow(id: string, changes: Partial<WorkflowFile>): Promise<SavedWorkflow> {
		return await this.call('PATCH', `/workflows/${id}?forceSave=true`, changes);
	}

	async activate({ id, versionId }: SavedWorkflow): Promise<void> {
		await this.call('POST', `/workflows/${id}/activate`, { versionId });
		// n8n sets up the triggers after the response.
		const path = `/workflows/${id}/publication-status`;
		for (let checks = 1; ; checks++) {
			const state = await this.call<{ status: string }>('GET', path);
			if (state.status === 'published') return;
			if (checks > 200 || ['partial', 'failed'].includes(state.status))
				throw new Error(`the workflow was not activated: ${JSON.stringify(state)}`);
			await pause(100);
		}
	}

	async deactivate(id: string): Promise<void> {
		await this.call('POST', `/workflows/${id}/deactivate`, {});
	}

	/** Starts a workflow like the Execute button. Returns the execution's ID. */
	async run({ id, nodes }: SavedWorkflow): Promise<string> {
		const name = nodes.find(({ type }) => /Trigger$/i.test(type))?.name;
		const path = `/workflows/${id}/run`;
		const started = await this.call<{ executionId: string }>('POST', path, {
			triggerToStartFrom: { name },
		});
		return started.executionId;
	}

	async readExecution(id: string): Promise<Execution> {
		type Stored = Omit<Execution, 'data'> & { data: string };
		const { data, ...rest } = await this.call<Stored>('GET', `/executions/${id}`);
		return { ...rest, data: parse(data) as IRunExecutionData };
	}

	/** Returns the executions of a workflow, the latest first. */
	async listExecutions(workflowId: string): Promise<Array<Omit<Execution, 'data'>>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/executions?filter=${filter}&limit=50`;
		const { results } = await this.call<{ results: Array<Omit<Execution, 'data'>> }>('GET', path);
		// n8n reads running and ended executions separately, so an execution that ends in between is listed twice.
		return results.filter(({ id }, at) => results.findIndex((one) => one.id === id) === at);
	}

	/** Waits until an execution has ended or has one of `otherStatuses`. @throws Error if that takes too long */
	async waitForEnd(id: string, otherStatuses: ExecutionStatus[] = []): Promise<Execution> {
		const deadline = Date.now() + MAX_WAIT_MS;
		for (;;) {
			const execution = await this.readExecution(id);
			if ([...ENDED, ...otherStatuses].includes(execution.status)) return execution;
			if (Date.now() > deadline) throw new Error(`execution ${id} is still ${execution.status}`);
			await pause(100);
		}
	}

	/** Retries an execution, like Retry in the list of executions, and waits for the end of the new execution. Returns the new execution's ID. */
	async retry(id: string, loadWorkflow = false): Promise<string> {
		const path = `/executions/${id}/retry`;
		return (await this.call<{ id: string }>('POST', path, { loadWorkflow })).id;
	}

	async stop(id: string): Promise<void> {
		await this.call('POST', `/executions/${id}/stop`, {});
	}

	/** Creates a Data Table with these columns and rows. Columns hold text, except for those in `numbers`. */
	async createDataTable(
		name: string,
		columns: string[],
		rows: Array<Record<string, string | number>>,
		numbers: string[] = [],
	): Promise<Ref> {
		const { id } = await this.call<{ id: string }>('GET', '/projects/personal');
		const path = `/projects/${id}/data-tables`;
		const table = await this.call<Ref>('POST', path, {
			name,
			columns: columns.map((column) => ({
				name: column,
				type: numbers.includes(column) ? 'number' : 'string',
			})),
		});
		await this.call('POST', `${path}/${table.id}/insert`, { data: rows, returnType: 'count' });
		return table;
	}

	/** Returns the rows of a Data Table, in the order in which they were added. */
	async rowsOf(table: Ref): Promise<Array<Record<string, string | null>>> {
		const { id } = await this.call<{ id: string }>('GET', '/projects/personal');
		const path = `/projects/${id}/data-tables/${table.id}/rows?take=250&sortBy=id:asc`;
		return (await this.call<{ data: Array<Record<string, string | null>> }>('GET', path)).data;
	}

	/** Makes a call below /rest. Returns the `data` of the response. */
	async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const text = (await this.fetch(method, `/rest${path}`, body)).toString();
		return (JSON.parse(text) as { data: T }).data;
	}

	/** Returns the bytes at a path of n8n, as n8n's editor reads them. */
	async download(path: string): Promise<Buffer> {
		return await this.fetch('GET', path);
	}

	private async fetch(method: string, path: string, body?: unknown): Promise<Buffer> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				...(this.cookie && { cookie: this.cookie }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(MAX_WAIT_MS),
		});
		const bytes = Buffer.from(await response.arrayBuffer());
		if (!response.ok)
			throw new Error(
				`n8n responded with ${response.status} to ${method} ${path}: ${bytes.toString('utf8', 0, 500)}`,
			);
		const session = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0];
		return bytes;
	}
}
