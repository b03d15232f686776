import type { JobView } from '../../../dev/emulator';
import { isFailure } from '../failures';
import type { Rule } from '../ledger';
import { contentOf, keyOf } from './inputs';
import { COMMON_RULES, placeOf } from './commonRules';
import { isInventing } from './faults';
import {
	deliveredOf,
	failedOf,
	groupsOf,
	interchangeable,
	isMistakable,
	isPage,
	lostOf,
	paidOf,
	paidTooOften,
	SETTLED_MS,
	unkeptCalls,
	type Failed,
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

/** Younger than this no request has expired, ms. */
const EXPIRES_MS = 3_590_000;

/** What must hold after every program, whatever went wrong in it. */
export const RULES: Record<string, Rule<Played>> = {
	...COMMON_RULES,

	'each request is charged once': (played) =>
		interchangeable(groupsOf(played))
			.filter((groups) => paidOf(groups).length > 0)
			.map((groups) => paidTooOften(played, groups)),

	'each item has its own request': (played) =>
		played.executions
			.filter(({ operation }) => operation !== 'upload')
			.flatMap((execution) => foreignRequests(played, execution)),

	'each item has its own file': ({ executions, contents }) =>
		executions
			// Where the node fails, n8n may hand its input on.
			.filter(({ operation, result }) => operation === 'upload' && result.error === undefined)
			.flatMap(({ asked, result }) =>
				result.items
					.filter(({ json }) => json.error === undefined)
					.map((put) => {
						const [prompt] = asked[placeOf(put)].split('|');
						const content = contents[String(put.json.url)];
						return content === contentOf(prompt) ? undefined : `'${prompt}' has ${content}`;
					}),
			),

	'no two items share a request': sharedRequests,

	'every accepted ID is reported': (played) => {
		const told = reportedText(played);
		return interchangeable(groupsOf(played)).flatMap((groups) =>
			groups.flatMap((group) =>
				group.made.map(({ requestId }) =>
					told.includes(requestId) ||
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
					lines.includes(requestId) ? undefined : `request ${requestId} was answered`,
				),
		);
	},

	'a lost request that the history shows is found': missedRequests,

	'an error says what the history shows only if it was read': (played) =>
		failedOf(played).flatMap(
			({ execution, failed: { search, outcomeUnknown, message }, group }) => {
				if (!group || !outcomeUnknown || !(search === 'none' || search === 'candidates')) return [];
				if (played.program.setBack) return [];
				// Of equal ones it may be the first that was looked for.
				const lostAt = [...lostOf(group), ...unkeptCalls(group)]
					.filter(({ at }) => at <= execution.endedAt)
					.reduce((first, { at }) => Math.min(first, at), Infinity);
				// Without a loss, only a late rejection was missed: any reading counts.
				const settled = lostAt + (search === 'none' ? SETTLED_MS : 0);
				const since = lostAt === Infinity ? 0 : settled;
				const isRead = execution.calls.some((call) => isPage(call) && call.at >= since);
				return [isRead ? undefined : `"${search}", but it was not: ${message}`];
			},
		),

	'candidates are requests': ({ jobs, elsewhere, ...played }) =>
		failedOf({ jobs, elsewhere, ...played })
			.filter(({ failed }) => failed.search === 'candidates')
			.map(({ failed: { candidates = [] } }) => {
				const isRequest = (id: string) =>
					elsewhere.has(id) || jobs.some(({ requestId }) => requestId === id);
				return candidates.length > 0 && candidates.every(isRequest)
					? undefined
					: `${candidates.join(', ') || 'none'} are no requests`;
			}),

	'a request reported as free was not charged': (played) =>
		failedOf(played).flatMap((one) => chargedThoughFree(played, one)),

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
		failedOf(played).flatMap(({ execution, failed, job }) => {
			const { service, work } = played.program;
			if (failed.kind !== 'missing' || !job || work === 'v1') return [];
			const age = execution.endedAt - job.submittedAt + (service.clockAheadMs ?? 0);
			if (failed.status === 'EXPIRED' && age < EXPIRES_MS)
				return [`it is ${age} ms old: ${failed.message}`];
			const isTrue = execution.calls.some(
				({ requestId, status }) => requestId === job.requestId && status === 404,
			);
			return [isTrue ? undefined : `it was not: ${failed.message}`];
		}),

	'succeeds on retry when no fault is injected, or gives the true reason': (played) =>
		played.executions
			.filter(({ isCalm, isLast }) => isCalm && isLast)
			.flatMap((execution) =>
				execution.result.failed.length === 0
					? [undefined]
					: execution.result.failed.map((one) => unexplainedFailure(played, execution, one)),
			),
};

/** Those with a request of which the service says nothing untrue. */
function aboutJobs(played: Played): Array<Failed & { job: JobView }> {
	const { faults } = played.program;
	const isLying = isInventing(faults) || faults.some(({ what }) => what.startsWith('422'));
	return failedOf(played).flatMap((one) => (one.job && !isLying ? [{ ...one, job: one.job }] : []));
}

/** Every request that an item names, as output or as failed, is one that asks for the same, with the same file. */
function foreignRequests(played: Played, execution: Execution): Array<string | undefined> {
	const { asked, brought, operation, result } = execution;
	const good = [...result.items, ...result.errorItems]
		.filter(({ json }) => !isFailure(json))
		.map((put) => ({ item: placeOf(put), id: put.json.request_id }));
	const bad = result.failed.map(({ item, requestId }) => ({ item, id: requestId }));
	return [...good, ...bad].flatMap(({ item, id }) => {
		if (typeof id !== 'string' || id === '') return [];
		if (operation === 'run') return [foreignRequest(played, { item, id, key: asked[item] })];
		return [id === brought[item] ? undefined : `item ${item} has ${id} for ${brought[item]}`];
	});
}

function foreignRequest(
	played: Played,
	{ item, id, key }: { item: number; id: string; key: string },
): string | undefined {
	const { program, jobs, elsewhere, contents } = played;
	const other = elsewhere.get(id);
	if (other)
		return keyOf(program, BODIES[other.body]) === key && isMistakable(played, other.at)
			? undefined
			: `item ${item} has the request ${id} of somebody else`;
	const input = jobs.find(({ requestId }) => requestId === id)?.input;
	if (!input) return `item ${item} has an unknown request ${id}`;
	if (keyOf(program, input) !== key)
		return `item ${item} asks for '${key}' and has the request for '${keyOf(program, input)}'`;
	const file = contents[String([input.image_urls ?? input.reference].flat()[0])];
	return program.file !== 'sent' || file === contentOf(input.prompt)
		? undefined
		: `request ${id} has another's file: ${file}`;
}

/** No two items give the same request: of one run, of two executions, or of the editor after it has been delivered. */
function sharedRequests({ executions }: Played): Array<string | undefined> {
	const given = new Map<string, string>();
	return executions
		.filter(({ operation }) => operation === 'run')
		.flatMap((execution) => {
			const { thread, lineage, round, at, mode } = execution;
			const place =
				mode === 'manual'
					? `editor of thread ${thread}, press ${at}`
					: `thread ${thread}.${lineage}, round ${round}`;
			const ids = deliveredOf(execution);
			return ids.map((id, index) => {
				if (ids.indexOf(id) !== index) return `two items have request ${id}`;
				const before = given.get(id) ?? place;
				given.set(id, place);
				return before === place
					? undefined
					: `request ${id} was given in ${before} and in ${place}`;
			});
		});
}
