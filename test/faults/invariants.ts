import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { FailureKind } from '../../nodes/shared/base/failure';
import type { JobView } from '../../dev/emulator';
import { isAsking, isCreating } from './calls';
import { commonRules, placeOf } from './commonRules';
import { isFailure, textsOf } from './failures';
import { isInvented } from './faultKinds';
import type { Rule } from './ledger';
import { promptOf, type Execution, type Played } from './play';

/** Failures that a retry in good weather need not get past. */
const LASTING: readonly FailureKind[] = ['missing', 'foreignOrigin', 'outputLost'];

/** What must hold after every scenario, whatever went wrong in it. */
export const RULES: Record<string, Rule<Played>> = {
	...commonRules<Played>((played) => ({
		...played,
		executions: played.executions.map((execution) => ({
			...execution,
			items: execution.items.length,
		})),
		jobs: played.scenario.faults.some(({ what }) => isInvented(what)) ? [] : played.jobs,
	})),

	'a job is paid for once': (played) => {
		const { scenario, jobs } = played;
		if (scenario.options.resubmitWhenUnknown && mayBeBoughtAgain(played)) return [];
		return groupsOf(played).flatMap(({ lineage, operation, prompt, wanted }) => {
			const paid = jobsOf(played, operation, lineage).filter(
				(job) => job.input.prompt === prompt && finally_(jobs, job).state === 'COMPLETED',
			);
			if (paid.length === 0) return [];
			return [
				paid.length > wanted
					? `'${prompt}' was paid for ${paid.length} times for ${wanted} items: ${idsOf(paid)}`
					: undefined,
			];
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
			execution.jobs.map(({ requestId }) =>
				told.includes(requestId) || isExcused(played, execution, requestId)
					? undefined
					: `request ${requestId} is in no output, error or log`,
			),
		);
	},

	'each item has its own request and file': (played) =>
		played.executions
			.filter(({ result, stoppedAt }) => !result.error && stoppedAt === undefined)
			.flatMap((execution) => foreign(played, execution)),

	'no two items have one request': ({ executions }) =>
		executions
			.filter(({ operation }) => operation !== 'getResult')
			.map(({ result }) => {
				const ids = result.json.flatMap(({ request_id: id }) => (id ? [id] : []));
				return new Set(ids).size < ids.length ? `they are ${ids.join(', ')}` : undefined;
			}),

	'a retry in good weather ends well, or the error says why it cannot': ({
		executions,
		scenario,
	}) =>
		executions
			.filter(({ calm, result }) => calm === 'last' || (calm !== undefined && !result.error))
			.flatMap(({ operation, result: { failed } }) =>
				failed.length === 0 ? [undefined] : failed.map((one) => ({ operation, ...one })),
			)
			.map((failed) => {
				if (failed === undefined) return undefined;
				const { operation, kind, outcomeUnknown, message } = failed;
				const mayLast =
					outcomeUnknown ||
					LASTING.includes(kind) ||
					// Only Run can submit again what failed.
					(operation === 'getResult' && kind === 'requestFailed') ||
					// A service that never gives a result cannot be waited out.
					(scenario.service.resultShape === 'outputNull' && kind === 'unreadable');
				return mayLast ? undefined : `still failing: ${message}`;
			}),
};

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

/** Send Again If Unsure may submit again only where an outcome was unknown, or a record was gone. */
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
	const saysSo = executions
		.filter((other) => other.operation === operation && other.lineage === lineage)
		.some(({ result }) => result.failed.some(({ outcomeUnknown }) => outcomeUnknown));
	// A v1 answer replaced by another one that can be used carries no id at all.
	return (
		saysSo ||
		stoppedAt !== undefined ||
		scenario.work === 'v1' ||
		scenario.options.resubmitWhenUnknown
	);
}

/** An entry for each item that names a request or a file. */
function foreign(
	{ scenario, jobs, contents }: Played,
	{ operation, items, result }: Execution,
): Array<string | undefined> {
	return [...result.items, ...result.errorItems].flatMap((put: INodeExecutionData) => {
		const { json } = put;
		const at = placeOf(put);
		const wanted = `file of ${promptOf(scenario, at)}`;
		const told = (isFailure(json) ? (json.error as IDataObject) : json).request_id;
		if (operation === 'upload')
			return isFailure(json) || contents[String(json.url)] === wanted
				? [undefined]
				: [`item ${at} has the file of another: ${contents[String(json.url)]}`];
		if (typeof told !== 'string') return [];
		if (operation === 'getResult')
			return [
				told === items[at].json.request_id
					? undefined
					: `item ${at} has request ${told} instead of its own`,
			];
		const job = jobs.find(({ requestId }) => requestId === told);
		if (!job) return [`item ${at} has an unknown request ${told}`];
		const file = contents[String([job.input.image_urls ?? job.input.reference].flat()[0])];
		if (job.input.prompt !== promptOf(scenario, at))
			return [`item ${at} has the request of '${String(job.input.prompt)}'`];
		return [
			!scenario.withFile || file === wanted
				? undefined
				: `the request of item ${at} has another's file: ${file}`,
		];
	});
}
