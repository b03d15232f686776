import { START } from '../../helpers/virtualTime';
import type { Execution, Played } from './played';

/** Lists what happened in a failing program: the calls, Stop, the results and the hints. */
export function storyOf({ executions }: Played): string[] {
	return executions.flatMap((execution) => {
		const { calls, stoppedAt, startedAt, endedAt, result } = execution;
		return [
			`${seconds(startedAt)} ${nameOf(execution)}`,
			...calls.map(lineOf),
			...(stoppedAt === undefined ? [] : [`${seconds(stoppedAt)}   Stop`]),
			`${seconds(endedAt)}   ${endOf(result)}`,
			...result.hints.map((hint) => `             hint: ${hint}`),
		];
	});
}

function nameOf(execution: Execution): string {
	const { threadIndex, pressIndex, round, mode, itemKeys } = execution;
	return `thread ${threadIndex}, press ${pressIndex}, round ${round}, ${mode}: ${JSON.stringify(itemKeys)}`;
}

function lineOf({ at, kind, status, fault, requestId, path }: Execution['calls'][number]): string {
	const what = fault ? ` (${fault})` : '';
	const page = kind === 'history' && !requestId ? ` page ${/[?&]page=(\d+)/.exec(path)?.[1]}` : '';
	return `${seconds(at)}   ${kind} ${requestId?.slice(0, 6) ?? ''} -> ${status ?? 'no response'}${what}${page}`;
}

function endOf({ error, items, errorItems }: Execution['result']): string {
	if (error) return `${error.message}\n${error.description ?? ''}`;
	const put = [...items, ...errorItems];
	return JSON.stringify(
		put.map(({ json: { request_id, status, error } }) => [request_id, status, error]),
	);
}

function seconds(at: number): string {
	return `${((at - START) / 1_000).toFixed(3).padStart(10)} s`;
}
