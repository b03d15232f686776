/** Requests that are accepted and then get odd responses: three ways to get their results, for whole test files. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import { requestParams, runParams, submitParams, workflowParams } from './inference';
import { succeed, type RunResult } from './runNode';
import { useVirtualEngine } from './virtualEngine';

export const HTML = '<html>a proxy</html>';
/** The calls that read a request. */
export const READ_KINDS = ['status', 'poll', 'result'] as const;
/** Responses with status 422 about a request that hasn't failed. */
export const FORMS_OF_422: Record<string, FaultAction> = {
	'a page of a gateway': { status: 422, body: HTML },
	'no body': { status: 422, body: '' },
	'{}': { status: 422, body: {} },
	'an error without a status': { status: 422, body: { error: 'Unprocessable' } },
	'the true status under 422': { rewrite: { status: 422 } },
};

/** Makes one request and waits for its result. */
type RequestAndWait = (more?: INodeParameters) => Promise<RunResult>;

export function useResultWays() {
	const engine = useVirtualEngine();
	const { emulator, runNode } = engine;
	const firstId = () => emulator.jobs[0].requestId;
	/** The ways to get a result. */
	const ways: Array<[string, RequestAndWait]> = [
		['a model', async (more) => await runNode({ parameters: runParams({}, more) })],
		[
			'a workflow',
			async (more) =>
				await runNode({ node: 'segmindWorkflow', parameters: workflowParams({}, more) }),
		],
		[
			'Get Result',
			async (more = {}) => {
				const { items } = await runNode({ parameters: submitParams() });
				const parameters = requestParams('getResult', { options: more });
				return await runNode({ parameters, items });
			},
		],
	];
	return {
		...engine,
		firstId,
		ways,
		/** Adds one of the ways to each row, in turn. One per row is enough, because they share the code that reads responses. */
		inTurn: <T extends readonly unknown[]>(table: readonly T[]) =>
			table.map((row, at) => [...row, ...ways[at % ways.length]] as [...T, string, RequestAndWait]),
		expectDelivered(result: RunResult): void {
			const { json, items } = succeed(result);
			expect(json[0]).toMatchObject({ request_id: firstId(), status: 'COMPLETED' });
			expect(Object.keys(items[0].binary ?? {})).not.toEqual([]);
			expect(emulator.jobs).toHaveLength(1);
		},
	};
}
