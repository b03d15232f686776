import type { JobView } from '../../../dev/emulator';
import type { FailureKind } from '../../../nodes/shared/base/failure';
import type { FailedItem } from '../../helpers/runNode';
import { contentOf, keyOf } from './asked';
import { COMMON_RULES, placeOf } from './commonRules';
import { isFailure, textsOf } from '../failures';
import { isInvented } from './faults';
import type { Rule } from '../ledger';
import {
	creatingCalls,
	deliveredOf,
	excused,
	failedOf,
	groupsOf,
	hasPrompt,
	interchangeable,
	isClean,
	isCreating,
	isLost,
	isMistakable,
	isTooLong,
	mistakableFor,
	paidOf,
	paidTooOften,
	SETTLED_MS,
	type Failed,
	type Group,
} from './model';
import type { Execution, Played } from './play';
import { BODIES } from './program';

/** Failures that a retry in good weather need not get past. */
const LASTING: readonly FailureKind[] = ['missing', 'foreignOrigin', 'outputLost'];
/** Younger than this no request has expired, ms. */
const EXPIRES_MS = 3_590_000;

/** What must hold after every program, whatever went wrong in it. */
export const RULES: Record<string, Rule<Played>> = {
	...COMMON_RULES,

	'a job is paid once': (played) =>
		interchangeable(groupsOf(played))
			.filter((groups) => paidOf(groups).length > 0)
			.map((groups) => paidTooOften(played, groups)),

	'a job whose answer was lost is paid once': (played) =>
		interchangeable(groupsOf(played))
			.filter((groups) => groups.every((group) => creatingCalls(group).some(isLost)))
			.filter((groups) => groups.every((group) => excused(played, group) === 0))
			.filter((groups) => paidOf(groups).length > 0)
			.map((groups) => paidTooOften(played, groups)),

	'each item has its own request': (played) =>
		played.executions
			.filter(({ operation }) => operation !== 'upload')
			.flatMap((execution) => foreignRequests(played, execution)),

	'each item has its own file': ({ executions, contents }) =>
		executions
			.filter(({ operation }) => operation === 'upload')
			.flatMap(({ asked, result }) =>
				result.items
					.filter(({ json }) => json.error === undefined)
					.map((put) => {
						const [prompt] = asked[placeOf(put)].split('|');
						const content = contents[String(put.json.url)];
						return content === contentOf(prompt) ? undefined : `'${prompt}' has ${content}`;
					}),
			),

	'no two items have one request': sharedRequests,

	'every accepted id is told': (played) => {
		const told = textOf(played);
		return interchangeable(groupsOf(played)).flatMap((groups) =>
			groups.flatMap((group) =>
				group.made.map(({ requestId }) =>
					told.includes(requestId) || groups.some((other) => mayBeUntold(played, other, requestId))
						? undefined
						: `request ${requestId} of ${group.name} is in no output, error or log`,
				),
			),
		);
	},

	'an id that was answered is in the log': ({ executions, log }) => {
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

	'a lost request that the history shows is found': lostAndFound,

	'the history was read before it is said to show nothing': (played) =>
		failedOf(played).flatMap(
			({ execution, failed: { search, outcomeUnknown, message }, group }) => {
				if (!group || !outcomeUnknown || !(search === 'none' || search === 'candidates')) return [];
				if (played.program.setBack) return [];
				// Of equal ones it may be the first that was looked for.
				const lostAt = creatingCalls(group)
					.filter((call) => isLost(call) && call.at <= execution.endedAt)
					.reduce((first, { at }) => Math.min(first, at), Infinity);
				const since = lostAt + (search === 'none' ? SETTLED_MS : 0);
				const isRead = execution.calls.some(
					(call) =>
						call.kind === 'history' && isClean(call) && call.path.includes('?') && call.at >= since,
				);
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

	'what cost nothing was not charged': (played) =>
		failedOf(played).flatMap((one) => notFree(played, one)),

	'what failed has failed': (played) =>
		aboutJobs(played)
			.filter(({ failed: { kind, status } }) => kind === 'requestFailed' || status === 'FAILED')
			.map(({ job, failed }) =>
				job.state === 'FAILED' ? undefined : `it is ${job.state}: ${failed.message}`,
			),

	'what completed has completed': (played) =>
		aboutJobs(played)
			.filter(({ failed }) => failed.charge === 'completed')
			.map(({ job, failed }) =>
				job.state === 'COMPLETED' ? undefined : `it is ${job.state}: ${failed.message}`,
			),

	'what is missing was answered so, and is called expired only after its hour': (played) =>
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

	'a retry in good weather ends well, or says truly why not': (played) =>
		played.executions
			.filter(({ isCalm, isLast }) => isCalm && isLast)
			.flatMap((execution) =>
				execution.result.failed.length === 0
					? [undefined]
					: execution.result.failed.map((one) => stillFailing(played, execution, one)),
			),
};

/** Those with a request of which the service says nothing untrue. */
function aboutJobs(played: Played): Array<Failed & { job: JobView }> {
	const isLying = played.program.faults.some(
		({ what }) => isInvented(what) || what.startsWith('422'),
	);
	return failedOf(played).flatMap((one) => (one.job && !isLying ? [{ ...one, job: one.job }] : []));
}

/** All that anybody was told. */
function textOf({ log, executions }: Played): string {
	return JSON.stringify([
		log,
		executions.map(({ result }) => [
			result.items,
			result.errorItems,
			result.failed,
			textsOf(result),
			result.hints,
		]),
	]);
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
		if (operation === 'run') return [foreign(played, { item, id, key: asked[item] })];
		return [id === brought[item] ? undefined : `item ${item} has ${id} for ${brought[item]}`];
	});
}

function foreign(
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

/** An id that nobody could learn; then the item says that it may have been accepted. */
function mayBeUntold(played: Played, group: Group, requestId: string): boolean {
	const { program } = played;
	const call = creatingCalls(group).find((other) => other.requestId === requestId);
	// One that failed costs nothing; a v1 call then tells no id, and a lost one cannot be told from a refused one.
	const hasFailed = group.made.some(
		(job) =>
			job.requestId === requestId &&
			job.state === 'FAILED' &&
			(job.via === 'v1' || (call !== undefined && isLost(call))),
	);
	if (hasFailed) return true;
	if (call && !isLost(call)) return false;
	return (
		group.executions.some(({ result, asked }) =>
			result.failed.some(({ item, outcomeUnknown }) => outcomeUnknown && asked[item] === group.key),
		) ||
		group.executions.some(({ stoppedAt }) => stoppedAt !== undefined) ||
		excused(played, group) > 0 ||
		mistakableFor(played, group.key) > 0 ||
		// What answered in its place was taken for the output.
		(program.work === 'v1' && program.faults.some(({ what }) => isInvented(what)))
	);
}

/** Nothing of an item that is said to have cost nothing was paid, by this try or one before, and not delivered. */
function notFree(played: Played, { execution, failed, group }: Failed): Array<string | undefined> {
	const { program, jobs, executions } = played;
	if (failed.charge !== 'none' || !group || group.items > 1) return [];
	// Sent again as is allowed, it is about the last try; equal ones are interchangeable.
	const isShared = interchangeable(groupsOf(played)).some(
		(groups) => groups.length > 1 && groups.some(({ name }) => name === group.name),
	);
	if (isShared || excused(played, group) > 0 || mistakableFor(played, group.key) > 0) return [];
	const before = group.executions.filter(({ startedAt }) => startedAt <= execution.endedAt);
	const made = before.flatMap((other) => other.made);
	const delivered = new Set(executions.flatMap((other) => deliveredOf(other)));
	const isOfAnother = (requestId: string) =>
		executions.some(
			({ thread, result }) =>
				thread !== execution.thread && result.failed.some((one) => one.requestId === requestId),
		);
	const paid = jobs.find(
		({ requestId, state, input }) =>
			state === 'COMPLETED' &&
			keyOf(program, input) === group.key &&
			made.includes(requestId) &&
			!delivered.has(requestId) &&
			!isOfAnother(requestId),
	);
	return [paid && `${paid.requestId} was paid: ${failed.message} | ${failed.description}`];
}

/** The last execution of the group in good weather has found each request of the group whose answer was lost: it gave it, named it or asked for it. */
function lostAndFound(played: Played): Array<string | undefined> {
	const { executions, program } = played;
	const told = textOf(played);
	const asks = new Set(
		executions.flatMap(({ calls }) =>
			calls.filter((call) => !isCreating(call)).map(({ requestId }) => requestId),
		),
	);
	// The history of another credential proves nothing: such a retry is refused without a search.
	const changesCredential = program.threads.some(({ presses }) =>
		presses.some(({ otherCredential }) => otherCredential),
	);
	if (changesCredential || program.setBack || isTooLong(played)) return [];
	return groupsOf(played)
		.filter(
			(group) =>
				group.executions.some(({ isCalm, isLast }) => isCalm && isLast) &&
				excused(played, group) === 0 &&
				mistakableFor(played, group.key) === 0,
		)
		.flatMap((group) =>
			creatingCalls(group)
				.filter(isLost)
				.flatMap((call) => group.made.filter(({ requestId }) => requestId === call.requestId))
				.map(({ requestId, state }) =>
					told.includes(requestId) ||
					asks.has(requestId) ||
					// The row of one that failed may be that of an equal call which was refused.
					(state === 'FAILED' && hasRefused(group))
						? undefined
						: `${group.name}: ${requestId} (${state}) is in the history, and was not`,
				),
		);
}

/** The service said in its own words that it did not take a request for the same. */
function hasRefused({ executions, key }: Group): boolean {
	return executions.some(({ calls }) =>
		calls.some((call) => isCreating(call) && (call.status ?? 0) >= 400 && hasPrompt(call, key)),
	);
}

function stillFailing(
	played: Played,
	{ operation, endedAt }: Execution,
	failed: FailedItem,
): string | undefined {
	const { kind, search, outcomeUnknown, message, description, requestId } = failed;
	const mayLast =
		outcomeUnknown ||
		LASTING.includes(kind) ||
		// Only a generation can be submitted again.
		(operation === 'getResult' && kind === 'requestFailed');
	if (!mayLast) return `still failing: ${message} | ${description}`;
	const job = played.jobs.find((other) => other.requestId === requestId);
	const { clockAheadMs = 0 } = played.program.service;
	const isFinished =
		job?.state === 'COMPLETED' && (job.finishedAt as number) - clockAheadMs <= endedAt;
	if (kind === 'missing' && isFinished) return `it is in the history: ${message}`;
	return search === 'outOfReach' && !isTooLong(played)
		? `the history is there: ${message} | ${description}`
		: undefined;
}
