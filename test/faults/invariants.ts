import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { JobView } from '../../dev/emulator';
import { isAsking, isCreating } from './calls';
import { faultOfMessage, faultOfRunMessage, rawWordsIn } from './errorForms';
import { failuresOf, isFailure, textsOf } from './failures';
import { isInvented } from './faultKinds';
import { promptOf, type Execution, type Played } from './play';

/** What must hold after every scenario, whatever went wrong in it. Each check gives what it found broken. */
type Check = (played: Played) => string[];

/** Stop must end an execution within this long, ms. */
const STOP_MS = 500;
/** Errors that a retry in good weather is not expected to get past: they say so. */
const LASTING =
	/may have been accepted|is not known to the service|is not an origin of the credential|could not be kept and it carried no request ID/;

/** Only Run can submit again what failed. */
const FAILED = /^Request [^\s]+ failed: /;

const CHECKS: Record<string, Check> = {
	'a job is paid for once': (played) => {
		const { scenario, jobs } = played;
		if (scenario.options.resubmitWhenUnknown && mayBeBoughtAgain(played)) return [];
		return groupsOf(played).flatMap(({ lineage, operation, prompt, wanted }) => {
			const paid = jobsOf(played, operation, lineage).filter(
				(job) => job.input.prompt === prompt && finally_(jobs, job).state === 'COMPLETED',
			);
			return paid.length > wanted
				? [`'${prompt}' was paid for ${paid.length} times for ${wanted} items: ${idsOf(paid)}`]
				: [];
		});
	},

	'no accepted request is lost': (played) => {
		const told = JSON.stringify(
			played.executions.map(({ result }) => [
				result.items,
				result.errorItems,
				result.log,
				textsOf(result),
			]),
		);
		return played.executions.flatMap((execution) =>
			execution.jobs
				.filter(
					({ requestId }) => !told.includes(requestId) && !isExcused(played, execution, requestId),
				)
				.map(({ requestId }) => `request ${requestId} is in no output, error or log`),
		);
	},

	'outputs are paired and in order': (played) =>
		played.executions
			.filter(({ result, stoppedAt }) => !result.error && stoppedAt === undefined)
			.flatMap((execution) => pairingFaults(played, execution)),

	'what comes out as completed has completed': (played) =>
		played.scenario.faults.some(({ what }) => isInvented(what))
			? []
			: played.executions.flatMap(({ result, endedAt }) =>
					result.json
						.filter((json) => json.status === 'COMPLETED' && typeof json.request_id === 'string')
						.map((json) => played.jobs.find(({ requestId }) => requestId === json.request_id))
						.filter((job) => job?.state !== 'COMPLETED' || (job.finishedAt as number) > endedAt)
						.map(
							(job) => `request ${job?.requestId} came out as completed, but was not at that time`,
						),
				),

	'the key goes only to the credential’s origins': ({ leaks, executions }) => [
		...leaks.map(({ origin, where }) => `the key arrived at ${origin} in ${where}`),
		...executions
			.filter(({ result }) =>
				/SG_[0-9a-f]{8}/.test(
					JSON.stringify([result.stored.resultData, result.log, result.told, textsOf(result)]),
				),
			)
			.map(() => 'the key stands in the execution'),
	],

	'Stop ends an execution at once, and no call is begun after it': ({ executions }) =>
		executions.flatMap(({ stoppedAt, endedAt, calls }) => {
			if (stoppedAt === undefined) return [];
			const late = calls.filter(({ at }) => at > stoppedAt);
			return [
				...(endedAt - stoppedAt > STOP_MS ? [`it took ${endedAt - stoppedAt} ms`] : []),
				...late.map(({ kind, at }) => `${kind} was called ${at - stoppedAt} ms after Stop`),
			];
		}),

	'nothing goes on after the end': ({ executions }) =>
		executions
			.filter(({ stoppedAt }) => stoppedAt === undefined)
			.flatMap(({ calls, endedAt }) =>
				calls
					.filter(({ at }) => at > endedAt)
					.map(({ kind }) => `${kind} was called after the end`),
			),

	'no rejection is left unhandled': ({ unhandled }) =>
		unhandled.map(
			(reason) => `unhandled: ${reason instanceof Error ? reason.stack : String(reason)}`,
		),

	'errors have a form of the table': ({ executions }) =>
		executions.flatMap(({ result, stoppedAt }) =>
			stoppedAt === undefined ? errorFaults(result) : [],
		),

	'hints are ours': ({ executions }) =>
		executions.flatMap(({ result }) =>
			result.hints.flatMap((hint) => rawWordsIn(hint) ?? []).map((word) => `a hint says "${word}"`),
		),

	'a retry in good weather ends well, or the error says why it cannot': ({
		executions,
		scenario,
	}) =>
		executions
			.filter(({ calm }) => calm === 'last')
			.flatMap(({ operation, result }) =>
				failuresOf(result).filter(
					({ message }) =>
						!LASTING.test(message) && !(operation === 'getResult' && FAILED.test(message)),
				),
			)
			// A service that never gives a result cannot be waited out.
			.filter(
				({ message }) =>
					!(
						scenario.service.resultShape === 'outputNull' &&
						/ could not be used \(HTTP 200\)/.test(message)
					),
			)
			.map(({ message }) => `still failing: ${message}`),
};

/** Everything broken, as text lines; [] when all holds. */
export function broken(played: Played): string[] {
	return Object.entries(CHECKS).flatMap(([name, check]) =>
		check(played).map((found) => `${name}: ${found}`),
	);
}

function errorFaults(result: Execution['result']): string[] {
	const { error } = result;
	const ofError = error
		? [
				faultOfRunMessage(error.message, error.description),
				/^Node(Api|Operation)Error$/.test(error.name) ? undefined : `it is a ${error.name}`,
			]
		: [];
	return [
		...ofError,
		...failuresOf(result).map(({ message, description }) => faultOfMessage(message, description)),
	].flatMap((fault) => fault ?? []);
}

function finally_(jobs: JobView[], { requestId }: JobView): JobView {
	return jobs.find((job) => job.requestId === requestId) as JobView;
}

function idsOf(jobs: JobView[]): string {
	return jobs.map(({ requestId }) => requestId).join(', ');
}

/** Equal items of one lineage: this many purchases of this prompt are wanted. */
function groupsOf({ scenario, executions }: Played) {
	const prompts = Array.from({ length: scenario.items }, (_unused, at) => promptOf(scenario, at));
	const lineages = [
		...new Set(executions.map(({ operation, lineage }) => `${operation} ${lineage}`)),
	].map((key) => ({ operation: key.split(' ')[0], lineage: Number(key.split(' ')[1]) }));
	return lineages.flatMap((of) =>
		[...new Set(prompts)].map((prompt) => ({
			...of,
			prompt,
			wanted: prompts.filter((other) => other === prompt).length,
		})),
	);
}

function jobsOf({ executions }: Played, operation: string, lineage: number): JobView[] {
	return executions
		.filter((execution) => execution.operation === operation && execution.lineage === lineage)
		.flatMap(({ jobs }) => jobs);
}

/** Resubmit When Unknown may submit again only where an outcome was unknown, or a record was gone. */
function mayBeBoughtAgain({ scenario, executions }: Played): boolean {
	const creating = executions.flatMap(({ calls }) => calls.filter(isCreating));
	const gone = executions.some(({ calls }) =>
		calls.some((call) => call.status === 404 && isAsking(call)),
	);
	return (
		gone ||
		scenario.outage !== null ||
		creating.some(({ fault, status }) => fault !== undefined || status === undefined)
	);
}

/** An id nobody could learn: the answer to the purchase was lost. The item must then say so, unless Stop came first. */
function isExcused(
	{ scenario, executions }: Played,
	{ operation, lineage, calls, stoppedAt }: Execution,
	requestId: string,
): boolean {
	const purchase = calls.find((call) => isCreating(call) && call.requestId === requestId);
	const isLost = purchase?.fault !== undefined || purchase?.status !== 200;
	if (!isLost) return false;
	const failures = executions
		.filter((other) => other.operation === operation && other.lineage === lineage)
		.flatMap(({ result }) => failuresOf(result));
	const saysSo = failures.some(({ message, description }) =>
		/may have been accepted|Whether it was accepted/.test(`${message} ${description}`),
	);
	// A v1 answer replaced by another one that can be used carries no id at all.
	return (
		saysSo ||
		stoppedAt !== undefined ||
		scenario.work === 'v1' ||
		scenario.options.resubmitWhenUnknown
	);
}

function pairingFaults(
	{ scenario, jobs, contents }: Played,
	{ operation, items, result }: Execution,
): string[] {
	const isFetch = operation === 'getResult';
	const places = (put: INodeExecutionData[]) =>
		put.map(({ pairedItem }) => (pairedItem as { item?: number } | undefined)?.item ?? -1);
	const [good, failed] = [places(result.items), places(result.errorItems)];
	const inOrder = [good, failed].every((list) =>
		list.every((at, index) => index === 0 || at > list[index - 1]),
	);
	const all = [...good, ...failed].sort((one, other) => one - other);
	const complete = all.length === items.length && all.every((at, index) => at === index);
	if (!inOrder || !complete)
		return [`pairs are ${JSON.stringify([good, failed])} for ${items.length} items`];
	const wrong = [...result.items, ...result.errorItems].flatMap(({ json, pairedItem }) => {
		const at = (pairedItem as { item: number }).item;
		const told = (isFailure(json) ? (json.error as IDataObject) : json).request_id;
		if (operation === 'upload')
			return isFailure(json) || contents[String(json.url)] === `file of ${promptOf(scenario, at)}`
				? []
				: [`item ${at} has the file of another: ${contents[String(json.url)]}`];
		if (typeof told !== 'string') return [];
		if (isFetch)
			return told === items[at].json.request_id
				? []
				: [`item ${at} has request ${told} instead of its own`];
		const job = jobs.find(({ requestId }) => requestId === told);
		if (!job) return [`item ${at} has an unknown request ${told}`];
		const file = [job.input.image_urls ?? job.input.reference].flat()[0];
		return [
			...(job.input.prompt === promptOf(scenario, at)
				? []
				: [`item ${at} has the request of '${String(job.input.prompt)}'`]),
			...(!scenario.withFile || contents[String(file)] === `file of ${promptOf(scenario, at)}`
				? []
				: [`the request of item ${at} has another's file: ${contents[String(file)]}`]),
		];
	});
	const ids = result.json.flatMap(({ request_id }) =>
		typeof request_id === 'string' && request_id !== '' ? [request_id] : [],
	);
	return [
		...wrong,
		...(operation !== 'getResult' && new Set(ids).size < ids.length
			? ['two items have one request']
			: []),
	];
}
