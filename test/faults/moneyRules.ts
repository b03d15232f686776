import type { Call, JobView } from '../../dev/emulator';
import { isAsking, isCreating } from './calls';
import { failuresOf, isFailure, textsOf } from './failures';
import type { MoneyFaultName } from './moneyFaults';
import { keyOf, type Execution, type Played } from './moneyPlay';
import { BODIES } from './moneyProgram';

/** What must hold after every program. Each rule gives what it found broken. */
type Rule = (played: Played) => string[];

/** Stop must end an execution within this long, ms. */
const STOP_MS = 500;
/** A history that shows a request later than this may miss it in a look-up, ms. */
const SEEN_IN_TIME_MS = 20_000;
/** A row of somebody else can be taken for ours when it was made so near to a call whose answer was lost, ms: dates have whole seconds. */
const NEAR_MS = 4_000;
/** The process remembers for an hour; somewhat less is asked of it. */
const REMEMBERED_MS = 55 * 60_000;

/** Pages of the history that are read, unless they come newest first. */
const MOST_PAGES = 10;

/** Errors that a retry in good weather need not get past. */
const LASTING =
	/may have been accepted|is not known to the (service|account)|is not an origin of the credential|could not be kept and it carried no request ID/;

/** Requests that are interchangeable: asked for by equal items of one run of one node, in all its tries and retries. */
interface Group {
	name: string;
	key: string;
	/** How many items ask for it. */
	items: number;
	executions: Execution[];
	made: JobView[];
}

export const RULES: Record<string, Rule> = {
	'a job is paid once': (played) =>
		interchangeable(groupsOf(played)).flatMap((groups) => paidTooOften(played, groups)),

	'each item has its own request': (played) => [
		...foreignRequests(played),
		...sharedRequests(played),
	],

	'outputs are paired': ({ executions }) =>
		executions
			.filter(({ result, stoppedAt }) => !result.error && stoppedAt === undefined)
			.flatMap(({ result, asked }) => {
				const places = [...result.items, ...result.errorItems]
					.map(({ pairedItem }) => (pairedItem as { item?: number } | undefined)?.item ?? -1)
					.sort((one, other) => one - other);
				const isComplete =
					places.length === asked.length && places.every((at, index) => at === index);
				return isComplete ? [] : [`pairs are ${JSON.stringify(places)} for ${asked.length} items`];
			}),

	'every accepted id is told': (played) => {
		const told = JSON.stringify([
			played.log,
			played.executions.map(({ result }) => [
				result.items,
				result.errorItems,
				textsOf(result),
				result.hints,
			]),
		]);
		const clusters = interchangeable(groupsOf(played));
		return clusters
			.flat()
			.flatMap((group) =>
				group.made
					.filter(
						({ requestId }) =>
							!told.includes(requestId) &&
							!clusters.some(
								(groups) =>
									groups.includes(group) &&
									groups.some((other) => mayBeUntold(played, other, requestId)),
							),
					)
					.map(
						({ requestId }) =>
							`request ${requestId} of ${group.name} is in no output, error or log`,
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
				.filter(({ requestId }) => !lines.includes(requestId as string))
				.map(({ requestId }) => `request ${requestId} was answered and is not in the log`),
		);
	},

	'no text is false': (played) =>
		played.executions.flatMap((execution) => falseTexts(played, execution)),

	'what comes out as completed has completed': ({ program, executions, jobs, elsewhere }) =>
		program.faults.some(({ what }) => isInvented(what))
			? []
			: executions.flatMap(({ result }) =>
					[...result.items, ...result.errorItems]
						.filter(
							({ json }) =>
								json.status === 'COMPLETED' &&
								typeof json.request_id === 'string' &&
								!elsewhere.has(json.request_id),
						)
						.map(({ json }) => jobs.find(({ requestId }) => requestId === json.request_id))
						.filter((job) => job?.state !== 'COMPLETED')
						.map((job) => `request ${job?.requestId} is ${job?.state} and came out as completed`),
				),

	'a retry in good weather ends well, or says truly why not': (played) =>
		played.executions
			.filter(({ isCalm, isLast }) => isCalm && isLast)
			.flatMap((execution) => stillFailing(played, execution)),

	'the key goes only to its origins': ({ leaks, executions, log }) => [
		...leaks.map(({ origin, where }) => `the key arrived at ${origin} in ${where}`),
		...executions
			.filter(({ result }) =>
				/SG_[0-9a-f]{8}/.test(
					JSON.stringify([result.stored.resultData, log, result.told, textsOf(result)]),
				),
			)
			.map(() => 'the key stands in the execution'),
	],

	'Stop ends an execution at once, and no call is begun after it': ({ program, executions }) =>
		program.setBack
			? []
			: executions.flatMap(({ stoppedAt, endedAt, calls }) => {
					if (stoppedAt === undefined) return [];
					return [
						...(endedAt - stoppedAt > STOP_MS ? [`it took ${endedAt - stoppedAt} ms`] : []),
						...calls
							.filter(({ at }) => at > stoppedAt)
							.map(({ kind, at }) => `${kind} was called ${at - stoppedAt} ms after Stop`),
					];
				}),

	'no rejection is left unhandled': ({ unhandled }) =>
		unhandled.map((reason) => (reason instanceof Error ? String(reason.stack) : String(reason))),

	'errors are ours': ({ executions }) =>
		executions
			.flatMap(({ result }) => [
				...failuresOf(result),
				...result.hints.map((message) => ({ message, description: '' })),
			])
			.flatMap(({ message, description }) => {
				const raw = RAW.exec(`${message} ${description}`);
				return raw ? [`"${raw[0]}" in: ${message}`] : [];
			}),
};

const RAW =
	/Cannot (read|set|convert)|is not (a function|iterable)|\bundefined\b|TypeError|cannot follow|\[object |\b(err|hpe)_/i;

/** Everything broken, as text lines; [] when all holds. */
export function broken(played: Played): string[] {
	return Object.entries(RULES).flatMap(([name, rule]) =>
		rule(played).map((found) => `${name}: ${found}`),
	);
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

function paidTooOften(played: Played, groups: Group[]): string[] {
	const sum = (count: (group: Group) => number) =>
		groups.reduce((total, group) => total + count(group), 0);
	const paid = groups.flatMap(({ made }) => made.filter(({ state }) => state === 'COMPLETED'));
	const most =
		sum((group) => wanted(played, group)) +
		sum((group) => excused(played, group)) +
		mistakableFor(played, groups[0].key);
	const names = groups.map(({ name }) => name).join(' and ');
	return paid.length > most
		? [
				`${names}: paid ${paid.length} times for ${most}: ${paid.map(({ requestId }) => requestId).join(', ')}`,
			]
		: [];
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
		// The user has asked for it to be sent again when its outcome is unknown, and the history did not show it.
		resubmitted: program.options.resubmitWhenUnknown && mayBeMissed ? lost.length : 0,
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
	return (
		fault !== undefined &&
		!/^rewritten: \{"(status|without":\["poll)/.test(fault) &&
		status !== 429 &&
		status !== 503
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
	return [...result.items, ...result.errorItems].flatMap(({ json, pairedItem }) => {
		const at = (pairedItem as { item?: number } | undefined)?.item ?? -1;
		const isOurs = key === undefined || asked[at] === key;
		return isOurs &&
			!isFailure(json) &&
			typeof json.request_id === 'string' &&
			json.request_id !== ''
			? [json.request_id]
			: [];
	});
}

/** Every request that an item names, as output or as failed, is one that asks for the same, with the same file. */
function foreignRequests(played: Played): string[] {
	const { program, jobs, executions, elsewhere, contents } = played;
	return executions.flatMap((execution) => {
		const { asked, result } = execution;
		const good = [...result.items, ...result.errorItems].map(({ json, pairedItem }) => ({
			item: (pairedItem as { item?: number } | undefined)?.item ?? -1,
			id: isFailure(json) ? undefined : json.request_id,
		}));
		const bad = failuresOf(result).map(({ item = -1, request_id }) => ({ item, id: request_id }));
		return [...good, ...bad].flatMap(({ item, id }) => {
			if (typeof id !== 'string' || id === '' || item === -1) return [];
			const foreign = elsewhere.get(id);
			if (foreign) {
				const isEqual = keyOf(program, BODIES[foreign.body]) === asked[item];
				return isEqual && isMistakable(played, foreign.at)
					? []
					: [`item ${item} has the request ${id} of somebody else`];
			}
			const job = jobs.find(({ requestId }) => requestId === id);
			if (!job) return [`item ${item} has an unknown request ${id}`];
			const file = [job.input.image_urls ?? job.input.reference].flat()[0];
			const hasFile =
				program.file !== 'sent' ||
				contents[String(file)] === `file of ${String(job.input.prompt).replace(' later', '')}`;
			return [
				...(keyOf(program, job.input) === asked[item]
					? []
					: [
							`item ${item} asks for '${asked[item]}' and has the request for '${keyOf(program, job.input)}'`,
						]),
				...(hasFile ? [] : [`request ${id} has another's file: ${contents[String(file)]}`]),
			];
		});
	});
}

/** Somebody else's request, made while the answer to one of ours was being lost. */
function isMistakable({ program, executions }: Played, at: number): boolean {
	const skewMs = program.setBack ? Infinity : NEAR_MS;
	return executions.some(({ calls }) =>
		calls.some(
			(call) =>
				isCreating(call) &&
				isLost(call) &&
				call.at - skewMs <= at &&
				at <= call.at + 70_000 + skewMs,
		),
	);
}

/** No two items give the same request: of one run, of two executions, or of the editor after it has been delivered. */
function sharedRequests({ executions }: Played): string[] {
	const given = new Map<string, string>();
	return executions.flatMap((execution) => {
		const { thread, lineage, round, at, mode } = execution;
		const ids = deliveredOf(execution);
		const twice = ids
			.filter((id, index) => ids.indexOf(id) !== index)
			.map((id) => `two items have request ${id}`);
		const place =
			mode === 'manual'
				? `editor of thread ${thread}, press ${at}`
				: `thread ${thread}.${lineage}, round ${round}`;
		const elsewhere = ids
			.filter((id) => given.has(id) && given.get(id) !== place)
			.map((id) => `request ${id} was given in ${given.get(id)} and in ${place}`);
		for (const id of ids) given.set(id, place);
		return [...twice, ...elsewhere];
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
	const texts = group.executions.flatMap(({ result }) => [
		...failuresOf(result).map(({ message, description }) => `${message} ${description}`),
		...result.hints,
	]);
	return (
		texts.some((text) => /may have been accepted|could not be used/.test(text)) ||
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
			failuresOf(other.result).some(({ request_id }) => request_id === requestId),
	);
}

function falseTexts(played: Played, execution: Execution): string[] {
	const { program, jobs, executions, elsewhere } = played;
	const { result, asked, calls, thread, lineage, round, mode, endedAt } = execution;
	const isLying = program.faults.some(({ what }) => isInvented(what) || what.startsWith('422'));
	return failuresOf(result).flatMap(({ message, description, item, request_id, status }) => {
		const text = `${message} ${description}`;
		const key = item === undefined ? undefined : asked[item];
		const job =
			request_id === undefined ? undefined : jobs.find(({ requestId }) => requestId === request_id);
		const found: string[] = [];
		const isHere = (other: Execution) =>
			other.thread === thread &&
			other.round === round &&
			(mode === 'manual' || other.lineage === lineage) &&
			other.startedAt <= endedAt;
		const same = executions.filter(isHere);
		const delivered = new Set(executions.flatMap((other) => deliveredOf(other)));
		const isPaid = ({ requestId, state, input }: JobView) =>
			state === 'COMPLETED' &&
			keyOf(program, input) === key &&
			same.some(({ made }) => made.includes(requestId)) &&
			!delivered.has(requestId) &&
			!isOfAnother(played, thread, requestId);
		// Sent again as the design allows, the text is about the last try.
		const group = groupsOf(played).find(
			(other) => other.key === key && other.executions.includes(execution),
		);
		if (
			group &&
			excused(played, group) === 0 &&
			mistakableFor(played, group.key) === 0 &&
			/nothing was charged/i.test(text) &&
			key !== undefined &&
			group.items === 1
		) {
			// Equal lost ones are interchangeable: what is not named here may be another's.
			const paid = sharesLost(played, group) ? [] : jobs.filter(isPaid);
			if (paid.length > 0) found.push(`"Nothing was charged", but ${paid[0].requestId} was`);
		}
		if (
			/Nothing is known to have been sent/.test(text) &&
			creatingCalls({ name: '', key: key ?? '', items: 0, executions: same, made: [] }).some(
				({ requestId }) => requestId !== undefined,
			)
		)
			found.push('"Nothing is known to have been sent", but something was');
		if (
			/not found there/.test(text) &&
			!calls.some((call) => call.kind === 'history' && isClean(call) && call.path.includes('?'))
		)
			found.push('"not found there", but no history was read');
		if (job && /^Request \S+ failed: /.test(message) && job.state !== 'FAILED' && !isLying)
			found.push(`called failed, but is ${job.state}`);
		if (status === 'FAILED' && job && job.state !== 'FAILED' && !isLying)
			found.push(`has the status FAILED, but is ${job.state}`);
		if (/completed and was charged/.test(text) && job && job.state !== 'COMPLETED' && !isLying)
			found.push(`called completed, but is ${job.state}`);
		if (
			/it has expired/.test(text) &&
			job &&
			program.work !== 'v1' &&
			endedAt - job.submittedAt + (program.service.clockAheadMs ?? 0) < 3_590_000
		)
			found.push('called expired within its hour');
		return found.map(
			(what) =>
				`${what}: ${message} | ${description}${elsewhere.size > 0 ? ' (others were there)' : ''}`,
		);
	});
}

function stillFailing(played: Played, execution: Execution): string[] {
	const { program, jobs, executions } = played;
	const { result, asked } = execution;
	return failuresOf(result).flatMap(({ message, description, item = -1, request_id }) => {
		if (!LASTING.test(message)) return [`still failing: ${message} | ${description}`];
		const job = jobs.find(({ requestId }) => requestId === request_id);
		if (/is not known to the/.test(message))
			return job?.state === 'COMPLETED' ? [`it is in the history: ${message}`] : [];
		if (/could not be read/.test(description))
			return isTooLong(played) ? [] : [`the history is there: ${description}`];
		if (!/not found there/.test(description)) return [];
		// In good weather the history shows all there is.
		const delivered = new Set(executions.flatMap((other) => deliveredOf(other)));
		const group = groupsOf(played).find(
			({ executions: all, key }) => all.includes(execution) && key === asked[item],
		);
		// An equal item may have been given it.
		const told = JSON.stringify(executions.map((other) => textsOf(other.result)));
		// It was sent again by right, and so is nobody's.
		if (!group || excused(played, group) > 0) return [];
		const lost = creatingCalls(group).filter(isLost);
		const asks = executions.flatMap(({ calls }) => calls).filter(isAsking);
		// One that was checked had been found, by this item or an equal one.
		const isKnown = ({ requestId, state }: JobView) =>
			// The row of one that failed may be that of an equal call which was refused.
			(state === 'FAILED' && hasRefused(executions, group.key)) ||
			delivered.has(requestId) ||
			told.includes(requestId) ||
			asks.some((call) => call.requestId === requestId);
		const open = group.made.filter(
			(made) => lost.some(({ requestId }) => requestId === made.requestId) && !isKnown(made),
		);
		const isMoved = program.setBack !== null || mistakableFor(played, group.key) > 0;
		return open.length > 0 && !isMoved
			? [`"not found there", but ${open[0].requestId} is: ${message}`]
			: [];
	});
}
