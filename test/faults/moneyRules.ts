import type { Call, JobView } from '../../dev/emulator';
import type { FailureKind } from '../../nodes/shared/base/failure';
import type { FailedItem } from '../helpers/runNode';
import { isAsking, isCreating } from './calls';
import { commonRules, placeOf } from './commonRules';
import { isFailure, textsOf } from './failures';
import type { Rule } from './ledger';
import type { MoneyFaultName } from './moneyFaults';
import { keyOf, type Execution, type Played } from './moneyPlay';
import { BODIES } from './moneyProgram';

/** A history that shows a request later than this may miss it in a look-up, ms. */
const SEEN_IN_TIME_MS = 20_000;
/** A row of somebody else can be taken for ours when it was made so near to a call whose answer was lost, ms: dates have whole seconds. */
const NEAR_MS = 4_000;
/** The process remembers for an hour; somewhat less is asked of it. */
const REMEMBERED_MS = 55 * 60_000;
/** What a reading shows before, ms after the loss, may not be all. */
const SETTLED_MS = 5_000;

/** Pages of the history that are read, unless they come newest first. */
const MOST_PAGES = 30;

/** Failures that a retry in good weather need not get past. */
const LASTING: readonly FailureKind[] = ['missing', 'foreignOrigin', 'outputLost'];

/** Requests that are interchangeable: asked for by equal items of one run of one node, in all its tries and retries. */
interface Group {
	name: string;
	key: string;
	/** How many items ask for it. */
	items: number;
	executions: Execution[];
	made: JobView[];
}

export const RULES: Record<string, Rule<Played>> = {
	...commonRules<Played>((played) => ({
		...played,
		executions: played.executions.map((execution) => ({
			...execution,
			items: execution.asked.length,
		})),
		jobs: played.program.faults.some(({ what }) => isInvented(what)) ? [] : onOurClock(played),
		isClockMoved: played.program.setBack !== null,
	})),

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

	'each item has its own request': foreignRequests,

	'no two items have one request': sharedRequests,

	'every accepted id is told': (played) => {
		const told = textOf(played);
		const clusters = interchangeable(groupsOf(played));
		return clusters.flatMap((groups) =>
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
		failedOf(played).flatMap(({ execution, failed, group }) => {
			const { search, outcomeUnknown } = failed;
			if (!group || !outcomeUnknown || !(search === 'none' || search === 'candidates')) return [];
			if (played.program.setBack) return [];
			// Of equal ones it may be the first that was looked for.
			const lostAt = creatingCalls(group)
				.filter((call) => isLost(call) && call.at <= execution.endedAt)
				.reduce((first, { at }) => Math.min(first, at), Infinity);
			const late = search === 'none' ? SETTLED_MS : 0;
			const isRead = execution.calls.some((call) => isListRead(call) && call.at >= lostAt + late);
			return [isRead ? undefined : `"${search}", but it was not: ${failed.message}`];
		}),

	'candidates are nobody’s of this process': (played) =>
		failedOf(played).flatMap(({ failed: { candidates = [], search } }) =>
			search !== 'candidates'
				? []
				: [
						candidates.length === 0 || candidates.some((id) => !isKnownId(played, id))
							? `${candidates.join(', ') || 'none'} are no requests`
							: undefined,
					],
		),

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
			if (failed.status === 'EXPIRED' && age < 3_590_000)
				return [`it is ${age} ms old: ${failed.message}`];
			const isTrue = execution.calls.some(
				({ requestId, status }) => requestId === job.requestId && status === 404,
			);
			return [isTrue ? undefined : `it was not: ${failed.message}`];
		}),

	'a retry in good weather ends well, or says truly why not': (played) =>
		played.executions
			.filter(({ isCalm, isLast }) => isCalm && isLast)
			.flatMap(({ result: { failed } }) =>
				failed.length === 0 ? [undefined] : failed.map((one) => stillFailing(played, one)),
			),
};

/** A failed item with what it asked for and what is known of its request. */
interface Failed {
	execution: Execution;
	failed: FailedItem;
	job?: JobView;
	/** The requests it may be about; undefined in an execution of nothing. */
	group?: Group;
}

function failedOf(played: Played): Failed[] {
	const { executions, jobs } = played;
	const groups = groupsOf(played);
	return executions.flatMap((execution) =>
		execution.result.failed.map((failed) => ({
			execution,
			failed,
			job: jobs.find(({ requestId }) => requestId === failed.requestId),
			group: groups.find(
				(group) =>
					group.executions.includes(execution) && group.key === execution.asked[failed.item],
			),
		})),
	);
}

/** Those with a request of which the service says nothing untrue. */
function aboutJobs(played: Played): Array<Failed & { job: JobView }> {
	const isLying = played.program.faults.some(
		({ what }) => isInvented(what) || what.startsWith('422'),
	);
	return failedOf(played).flatMap((one) => (one.job && !isLying ? [{ ...one, job: one.job }] : []));
}

/** The service's clock may be ahead. */
function onOurClock({ jobs, program: { service } }: Played): JobView[] {
	return jobs.map((job) => ({
		...job,
		finishedAt: (job.finishedAt ?? 0) - (service.clockAheadMs ?? 0),
	}));
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

function isKnownId({ jobs, elsewhere }: Played, id: string): boolean {
	return elsewhere.has(id) || jobs.some(({ requestId }) => requestId === id);
}

const isInvented = (what: MoneyFaultName): boolean => what.startsWith('200 ');

function groupsOf({ program, executions, jobs }: Played): Group[] {
	const groups = new Map<string, Group>();
	for (const execution of executions) {
		const { thread, lineage, round, mode, asked, made } = execution;
		const place = mode === 'manual' ? `editor of thread ${thread}` : `thread ${thread}.${lineage}`;
		const mine = jobs.filter(({ requestId }) => made.includes(requestId));
		for (const key of new Set([...asked, ...mine.map(({ input }) => keyOf(program, input))])) {
			const name = `${place}, round ${round}, '${key}'`;
			const group = groups.get(name) ?? { name, key, items: 0, executions: [], made: [] };
			group.items = Math.max(group.items, asked.filter((other) => other === key).length);
			group.executions.push(execution);
			group.made.push(...mine.filter(({ input }) => keyOf(program, input) === key));
			groups.set(name, group);
		}
	}
	return [...groups.values()];
}

/** Lost ones that ask for the same are interchangeable, whoever sent them: which was whose, nobody can tell. */
function interchangeable(groups: Group[]): Group[][] {
	const lost = groups.filter((group) => creatingCalls(group).some(isLost));
	const keys = [...new Set(lost.map(({ key }) => key))];
	return [
		...groups.filter((group) => !lost.includes(group)).map((group) => [group]),
		...keys.map((key) => lost.filter((group) => group.key === key)),
	];
}

/** An equal request of another group was lost too. */
function sharesLost(played: Played, group: Group): boolean {
	return interchangeable(groupsOf(played)).some(
		(groups) => groups.length > 1 && groups.some(({ name }) => name === group.name),
	);
}

function paidOf(groups: Group[]): JobView[] {
	return groups.flatMap(({ made }) => made.filter(({ state }) => state === 'COMPLETED'));
}

function paidTooOften(played: Played, groups: Group[]): string | undefined {
	const sum = (count: (group: Group) => number) =>
		groups.reduce((total, group) => total + count(group), 0);
	const paid = paidOf(groups);
	const most =
		sum((group) => wanted(played, group)) +
		sum((group) => excused(played, group)) +
		mistakableFor(played, groups[0].key);
	const names = groups.map(({ name }) => name).join(' and ');
	return paid.length > most
		? `${names}: paid ${paid.length} times for ${most}: ${paid.map(({ requestId }) => requestId).join(', ')}`
		: undefined;
}

/** Requests of others that can be taken for ours: then one of ours is nobody's. */
function mistakableFor(played: Played, key: string): number {
	return [...played.elsewhere.values()].filter(
		({ body, at }) => keyOf(played.program, BODIES[body]) === key && isMistakable(played, at),
	).length;
}

/** How many may be paid for. In the editor each run of the step may, but for what an earlier one has paid and not delivered. */
function wanted({ jobs }: Played, { executions, key, items }: Group): number {
	if (executions[0].mode !== 'manual') return items;
	let allowed = 0;
	let undelivered = 0;
	for (const { made, asked, result, stoppedAt } of executions) {
		const asking = asked.filter((other) => other === key).length;
		const needed = Math.max(asking - undelivered, 0);
		const paid = jobs.filter(
			({ requestId, state, input }) =>
				made.includes(requestId) && state === 'COMPLETED' && input !== undefined,
		).length;
		allowed += needed;
		const good =
			result.error || stoppedAt !== undefined ? 0 : deliveredOf({ asked, result }, key).length;
		undelivered = Math.max(undelivered + Math.min(paid, needed) - good, 0);
	}
	return allowed;
}

/** Payments beyond the wanted ones that the design allows, each by its reason. */
function excused(played: Played, group: Group): number {
	const { program } = played;
	const calls = creatingCalls(group);
	const lost = calls.filter((call) => isLost(call));
	const mayBeMissed = !isHistoryTrue(played, group);
	const reasons = {
		// The user has asked for it to be sent again when its outcome is unknown, and the history did not show it, or others that may be it.
		resubmitted:
			program.options.resubmitWhenUnknown && (mayBeMissed || played.elsewhere.size > 0)
				? lost.length
				: 0,
		// The service does not charge for such an answer, and the history did not show the request.
		gateway: mayBeMissed
			? lost.filter(({ status }) => status !== undefined && status >= 400).length
			: 0,
		// The process remembers for an hour.
		old: lastsLong(group) ? calls.length : 0,
	};
	return reasons.resubmitted + reasons.gateway + reasons.old;
}

/** Asked in time, the history shows every request of ours, and it could be asked. */
function isHistoryTrue({ program }: Played, { executions }: Group): boolean {
	const { history = true, historyLateMs = 0, historyOfWorkflows = true } = program.service;
	const asked = executions.flatMap(({ calls }) => calls.filter(({ kind }) => kind === 'history'));
	const mayBeKeptWaiting =
		program.service.rateLimit != null || program.faults.some(({ what }) => what.startsWith('429'));
	return (
		history &&
		(historyLateMs as number) <= SEEN_IN_TIME_MS &&
		(historyOfWorkflows || program.work !== 'workflow') &&
		asked.every(isClean) &&
		(asked.length > 0 || !mayBeKeptWaiting)
	);
}

/** More pages than are read. */
function isTooLong({ program, jobs, elsewhere }: Played): boolean {
	return jobs.length + elsewhere.size > MOST_PAGES * (program.service.historyPageRows ?? 100);
}

/** A page of the history that came as it should. */
function isListRead(call: Call): boolean {
	return call.kind === 'history' && isClean(call) && call.path.includes('?');
}

/** Answered as it should be, late perhaps. */
function isClean({ status, fault }: Call): boolean {
	return status === 200 && (fault === undefined || fault.startsWith('delay'));
}

function creatingCalls({ key, executions, made }: Group): Call[] {
	const ids = new Set(made.map(({ requestId }) => requestId));
	return executions.flatMap(({ calls }) =>
		calls.filter(
			(call) => isCreating(call) && (ids.has(call.requestId ?? '') || hasPrompt(call, key)),
		),
	);
}

/** True for a call whose body asks for what `key` does, as far as the prompt tells. */
function hasPrompt({ body }: Call, key: string): boolean {
	return (body as { prompt?: string } | undefined)?.prompt === key.split('|')[0];
}

/** What its answer says of the request did not arrive. */
function isLost({ fault, status }: Call): boolean {
	if (status === undefined) return true;
	// The service's own refusal: a gateway says no other 4xx.
	if (status >= 400 && status < 500 && status !== 408 && status !== 499) return false;
	return (
		fault !== undefined && !/^rewritten: \{"(status|without":\["poll)/.test(fault) && status !== 503
	);
}

/** The service said in its own words that it did not take a request for the same. */
function hasRefused(executions: Execution[], key: string): boolean {
	return executions.some(({ calls }) =>
		calls.some((call) => isCreating(call) && (call.status ?? 0) >= 400 && hasPrompt(call, key)),
	);
}

function lastsLong({ executions }: Group): boolean {
	return executions[executions.length - 1].endedAt - executions[0].startedAt > REMEMBERED_MS;
}

/** Requests of the good items that ask for `key`. */
function deliveredOf(
	{ asked, result }: Pick<Execution, 'asked' | 'result'>,
	key?: string,
): string[] {
	return [...result.items, ...result.errorItems].flatMap((put) => {
		const { json } = put;
		const isOurs = key === undefined || asked[placeOf(put)] === key;
		return isOurs && !isFailure(json) && json.request_id ? [String(json.request_id)] : [];
	});
}

/** Every request that an item names, as output or as failed, is one that asks for the same, with the same file. */
function foreignRequests(played: Played): Array<string | undefined> {
	return played.executions.flatMap(({ asked, result }) => {
		const good = [...result.items, ...result.errorItems].map((put) => ({
			item: placeOf(put),
			id: isFailure(put.json) ? undefined : put.json.request_id,
		}));
		const bad = result.failed.map(({ item, requestId }) => ({ item, id: requestId }));
		return [...good, ...bad].flatMap(({ item, id }) =>
			typeof id === 'string' && id !== '' ? [foreign(played, { item, id, key: asked[item] })] : [],
		);
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
	const isRight =
		program.file !== 'sent' || file === `file of ${String(input.prompt).replace(' later', '')}`;
	return isRight ? undefined : `request ${id} has another's file: ${file}`;
}

/**
 * Somebody else's request, made while the answer to one of ours was being lost. Where the history shows ours too, there is a row too many, and
 * none may be taken; one of ours that FAILED stands back while another row fits.
 */
function isMistakable({ program, executions }: Played, at: number): boolean {
	const skewMs = program.setBack ? Infinity : NEAR_MS;
	const {
		failJobs = [],
		history = true,
		historyLateMs = 0,
		historyOfWorkflows = true,
		rateLimit,
	} = program.service;
	const showsOurs =
		history &&
		failJobs !== 'all' &&
		failJobs.length === 0 &&
		historyLateMs === 0 &&
		(historyOfWorkflows || program.work !== 'workflow') &&
		rateLimit == null &&
		!program.faults.some(({ on }) => on === 'history');
	return executions.some(({ calls }) =>
		calls.some(
			(call) =>
				isCreating(call) &&
				isLost(call) &&
				(call.requestId === undefined || !showsOurs) &&
				call.at - skewMs <= at &&
				at <= call.at + 70_000 + skewMs,
		),
	);
}

/** No two items give the same request: of one run, of two executions, or of the editor after it has been delivered. */
function sharedRequests({ executions }: Played): Array<string | undefined> {
	const given = new Map<string, string>();
	return executions.flatMap((execution) => {
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
			return before === place ? undefined : `request ${id} was given in ${before} and in ${place}`;
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

/** An equal item of another thread was given it. */
function isOfAnother({ executions }: Played, thread: number, requestId: string): boolean {
	return executions.some(
		(other) =>
			other.thread !== thread &&
			other.result.failed.some((failed) => failed.requestId === requestId),
	);
}

/** Nothing of an item that is said to have cost nothing was paid, by this try or one before, and not delivered. */
function notFree(played: Played, { execution, failed, group }: Failed): Array<string | undefined> {
	const { program, jobs, executions } = played;
	const { thread, lineage, round, mode, endedAt } = execution;
	// Sent again as the design allows, it is about the last try; equal ones are interchangeable.
	if (
		failed.charge !== 'none' ||
		!group ||
		group.items > 1 ||
		excused(played, group) > 0 ||
		mistakableFor(played, group.key) > 0 ||
		sharesLost(played, group)
	)
		return [];
	const made = executions
		.filter(
			(other) =>
				other.thread === thread &&
				other.round === round &&
				(mode === 'manual' || other.lineage === lineage) &&
				other.startedAt <= endedAt,
		)
		.flatMap((other) => other.made);
	const delivered = new Set(executions.flatMap((other) => deliveredOf(other)));
	const paid = jobs.find(
		({ requestId, state, input }) =>
			state === 'COMPLETED' &&
			keyOf(program, input) === group.key &&
			made.includes(requestId) &&
			!delivered.has(requestId) &&
			!isOfAnother(played, thread, requestId),
	);
	return [paid && `${paid.requestId} was paid: ${failed.message} | ${failed.description}`];
}

/** The last execution of the group in good weather has found each request of the group whose answer was lost: it gave it, named it or asked for it. */
function lostAndFound(played: Played): Array<string | undefined> {
	const { executions, program } = played;
	const told = textOf(played);
	const asks = new Set(
		executions.flatMap(({ calls }) => calls.filter(isAsking).map(({ requestId }) => requestId)),
	);
	// The history of another credential proves nothing: such a retry is refused without a search.
	const changesCredential = program.threads.some(({ presses }) =>
		presses.some(({ otherCredential }) => otherCredential),
	);
	return groupsOf(played).flatMap((group) => {
		const isJudged =
			!changesCredential &&
			group.executions.some(({ isCalm, isLast }) => isCalm && isLast) &&
			excused(played, group) === 0 &&
			mistakableFor(played, group.key) === 0 &&
			program.setBack === null &&
			!isTooLong(played);
		if (!isJudged) return [];
		return creatingCalls(group)
			.filter(isLost)
			.flatMap((call) => group.made.filter(({ requestId }) => requestId === call.requestId))
			.map(({ requestId, state }) =>
				told.includes(requestId) ||
				asks.has(requestId) ||
				// The row of one that failed may be that of an equal call which was refused.
				(state === 'FAILED' && hasRefused(group.executions, group.key))
					? undefined
					: `${group.name}: ${requestId} (${state}) is in the history, and was not`,
			);
	});
}

function stillFailing(played: Played, failed: FailedItem): string | undefined {
	const { kind, search, outcomeUnknown, message, description, requestId } = failed;
	if (!outcomeUnknown && !LASTING.includes(kind))
		return `still failing: ${message} | ${description}`;
	const job = played.jobs.find((other) => other.requestId === requestId);
	if (kind === 'missing' && job?.state === 'COMPLETED') return `it is in the history: ${message}`;
	return search === 'outOfReach' && !isTooLong(played)
		? `the history is there: ${message} | ${description}`
		: undefined;
}
