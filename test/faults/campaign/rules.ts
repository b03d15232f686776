import type { JobView } from '../../../dev/emulator';
import { isFailure } from '../failures';
import type { Rule } from '../ledger';
import { contentOf, keyOf } from './inputs';
import { COMMON_RULES, inputIndexOf } from './commonRules';
import { mayInvent } from './faults';
import {
	deliveredOf,
	failuresOf,
	groupsOf,
	interchangeableGroups,
	isMistakable,
	isPage,
	lostCalls,
	chargedJobs,
	overcharge,
	SETTLED_MS,
	callsWithoutEntry,
	type ItemFailure,
} from './model';
import type { Execution, Played } from './played';
import { BODIES } from './program';
import {
	missedRequests,
	mayBeUnreported,
	chargedThoughFree,
	unexplainedFailure,
	reportedText,
} from './reports';

/** No request expires before this age. */
const EXPIRES_MS = 3_590_000;

/** What must hold after every program, whatever went wrong in it. */
export const RULES: Record<string, Rule<Played>> = {
	...COMMON_RULES,

	'each request is charged once': (played) =>
		interchangeableGroups(groupsOf(played))
			.filter((groups) => chargedJobs(groups).length > 0)
			.map((groups) => overcharge(played, groups)),

	'each item has its own request': (played) =>
		played.executions
			.filter(({ operation }) => operation !== 'upload')
			.flatMap((execution) => foreignRequests(played, execution)),

	'each item has its own file': ({ executions, contents }) =>
		executions
			// If the node fails, n8n may pass its input on.
			.filter(({ operation, result }) => operation === 'upload' && result.error === undefined)
			.flatMap(({ itemKeys, result }) =>
				result.items
					.filter(({ json }) => json.error === undefined)
					.map((output) => {
						const [prompt] = itemKeys[inputIndexOf(output)].split('|');
						const content = contents[String(output.json.url)];
						return content === contentOf(prompt) ? undefined : `'${prompt}' has ${content}`;
					}),
			),

	'no two items share a request': sharedRequests,

	'every accepted ID is reported': (played) => {
		const reported = reportedText(played);
		return interchangeableGroups(groupsOf(played)).flatMap((groups) =>
			groups.flatMap((group) =>
				group.jobs.map(({ requestId }) =>
					reported.includes(requestId) ||
					groups.some((other) => mayBeUnreported(played, other, requestId))
						? undefined
						: `request ${requestId} of ${group.name} is in no output, error or log`,
				),
			),
		);
	},

	'the ID in a response is logged': ({ executions, log }) => {
		const lines = log.join('\n');
		return executions.flatMap(({ calls }) =>
			calls
				.filter(
					({ kind, status, fault, requestId }) =>
						kind === 'submit' && requestId !== undefined && status === 200 && fault === undefined,
				)
				.map(({ requestId = '' }) =>
					lines.includes(requestId) ? undefined : `request ${requestId} was in a response`,
				),
		);
	},

	'a lost request that the history shows is found': missedRequests,

	'an error says what the history shows only if the history was read': (played) =>
		failuresOf(played).flatMap(
			({ execution, failed: { search, outcomeUnknown, message }, group }) => {
				if (!group || !outcomeUnknown || !(search === 'none' || search === 'candidates')) return [];
				if (played.program.setBack) return [];
				// Of identical lost calls, the search may have been for the first.
				const lostAt = [...lostCalls(group), ...callsWithoutEntry(group)]
					.filter(({ at }) => at <= execution.endedAt)
					.reduce((first, { at }) => Math.min(first, at), Infinity);
				// Without a lost call, only a late rejection was missed, so reading at any time counts.
				const settledAt = lostAt + (search === 'none' ? SETTLED_MS : 0);
				const since = lostAt === Infinity ? 0 : settledAt;
				const isRead = execution.calls.some((call) => isPage(call) && call.at >= since);
				return [isRead ? undefined : `"${search}", but the history wasn't read: ${message}`];
			},
		),

	'candidates are requests': ({ jobs, otherRequests, ...played }) =>
		failuresOf({ jobs, otherRequests, ...played })
			.filter(({ failed }) => failed.search === 'candidates')
			.map(({ failed: { candidates = [] } }) => {
				const isRequest = (id: string) =>
					otherRequests.has(id) || jobs.some(({ requestId }) => requestId === id);
				return candidates.length > 0 && candidates.every(isRequest)
					? undefined
					: `not requests: ${candidates.join(', ') || 'the list is empty'}`;
			}),

	'a request reported as free was not charged': (played) =>
		failuresOf(played).flatMap((one) => chargedThoughFree(played, one)),

	'a request reported as failed has failed': (played) =>
		aboutJobs(played)
			.filter(({ failed: { kind, status } }) => kind === 'requestFailed' || status === 'FAILED')
			.map(({ job, failed }) =>
				job.state === 'FAILED' ? undefined : `it is ${job.state}: ${failed.message}`,
			),

	'a request reported as charged has completed': (played) =>
		aboutJobs(played)
			.filter(({ failed }) => failed.charge === 'completed')
			.map(({ job, failed }) =>
				job.state === 'COMPLETED' ? undefined : `it is ${job.state}: ${failed.message}`,
			),

	'a request is missing only after a 404, and expired only after its hour': (played) =>
		failuresOf(played).flatMap(({ execution, failed, job }) => {
			const { service, work } = played.program;
			if (failed.kind !== 'missing' || !job || work === 'v1') return [];
			const age = execution.endedAt - job.submittedAt + (service.clockAheadMs ?? 0);
			if (failed.status === 'EXPIRED' && age < EXPIRES_MS)
				return [`it is ${age} ms old: ${failed.message}`];
			const hadNotFound = execution.calls.some(
				({ requestId, status }) => requestId === job.requestId && status === 404,
			);
			return [hadNotFound ? undefined : `no response was a 404: ${failed.message}`];
		}),

	'succeeds on retry when no fault is injected, or gives the true reason': (played) =>
		played.executions
			.filter(({ areFaultsOver, isLast }) => areFaultsOver && isLast)
			.flatMap((execution) =>
				execution.result.failed.length === 0
					? [undefined]
					: execution.result.failed.map((one) => unexplainedFailure(played, execution, one)),
			),
};

/** Returns the failures with a request about which the service says nothing untrue. */
function aboutJobs(played: Played): Array<ItemFailure & { job: JobView }> {
	const { faults } = played.program;
	const isLying = mayInvent(faults) || faults.some(({ what }) => what.startsWith('422'));
	return failuresOf(played).flatMap((one) =>
		one.job && !isLying ? [{ ...one, job: one.job }] : [],
	);
}

/** Checks that each request that an item names, in its output or its error, is for the item's input and file. */
function foreignRequests(played: Played, execution: Execution): Array<string | undefined> {
	const { itemKeys, inputRequestIds, operation, result } = execution;
	const succeeded = [...result.items, ...result.errorItems]
		.filter(({ json }) => !isFailure(json))
		.map((output) => ({ item: inputIndexOf(output), id: output.json.request_id }));
	const failed = result.failed.map(({ item, requestId }) => ({ item, id: requestId }));
	return [...succeeded, ...failed].flatMap(({ item, id }) => {
		if (typeof id !== 'string' || id === '') return [];
		if (operation === 'run') return [foreignRequest(played, { item, id, key: itemKeys[item] })];
		return [
			id === inputRequestIds[item]
				? undefined
				: `item ${item} has ${id}, not ${inputRequestIds[item]}`,
		];
	});
}

function foreignRequest(
	played: Played,
	{ item, id, key }: { item: number; id: string; key: string },
): string | undefined {
	const { program, jobs, otherRequests, contents } = played;
	const other = otherRequests.get(id);
	if (other)
		return keyOf(program, BODIES[other.body]) === key && isMistakable(played, other.at)
			? undefined
			: `item ${item} has somebody else's request ${id}`;
	const input = jobs.find(({ requestId }) => requestId === id)?.input;
	if (!input) return `item ${item} has an unknown request ${id}`;
	if (keyOf(program, input) !== key)
		return `item ${item} is for '${key}' and has the request for '${keyOf(program, input)}'`;
	const file = contents[String([input.image_urls ?? input.reference].flat()[0])];
	return program.file !== 'sent' || file === contentOf(input.prompt)
		? undefined
		: `request ${id} has another item's file: ${file}`;
}

/** Checks that no two items return the same request: in one run, in two executions, or in two runs of a step in the editor. */
function sharedRequests({ executions }: Played): Array<string | undefined> {
	const deliveredIn = new Map<string, string>();
	return executions
		.filter(({ operation }) => operation === 'run')
		.flatMap((execution) => {
			const { threadIndex, lineage, round, pressIndex, mode } = execution;
			const place =
				mode === 'manual'
					? `editor of thread ${threadIndex}, press ${pressIndex}`
					: `thread ${threadIndex}.${lineage}, round ${round}`;
			const ids = deliveredOf(execution);
			return ids.map((id, index) => {
				if (ids.indexOf(id) !== index) return `two items have request ${id}`;
				const before = deliveredIn.get(id) ?? place;
				deliveredIn.set(id, place);
				return before === place
					? undefined
					: `request ${id} was delivered in ${before} and in ${place}`;
			});
		});
}
