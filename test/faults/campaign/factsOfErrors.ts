/** Judges what an error says about the charge and the status of its request, by the emulator's records. */
import type { JobView } from '../../../dev/emulator';
import type { FailedItem } from '../../helpers/runNode';
import { isInvented } from './faults';
import type { Execution, Played } from './played';

/** An error about a request, with the execution that it belongs to. */
interface RequestError {
	execution: Execution;
	failed: FailedItem;
	job: JobView;
}

/** Returns all errors about requests. None if a response of the program was invented: what the node then says isn't its fault. */
function requestErrors({ program, executions, jobs }: Played): RequestError[] {
	if (program.faults.some(({ what }) => isInvented(what))) return [];
	return executions.flatMap((execution) =>
		execution.result.failed.flatMap((failed) => {
			const job = jobs.find(({ requestId }) => requestId === failed.requestId);
			return job ? [{ execution, failed, job }] : [];
		}),
	);
}

/** "Nothing was charged" and "it was charged" are true. */
export function chargeFaults(played: Played): Array<string | undefined> {
	return requestErrors(played).flatMap(({ failed: { charge, message }, job }) => {
		if (charge !== 'none' && charge !== 'completed') return [];
		const isRight = (job.state === 'COMPLETED') === (charge === 'completed');
		return [isRight ? undefined : `it is ${job.state}: ${message}`];
	});
}

/** The status in an error is true. A resumed request may have none. */
export function statusFaults(played: Played): Array<string | undefined> {
	return requestErrors(played).map((error) => {
		const { failed, job } = error;
		const why = wrongStatus(error);
		return why && `${why}; it is ${job.state}, the error says ${failed.status}: ${failed.message}`;
	});
}

function wrongStatus({ execution, failed, job }: RequestError): string | undefined {
	const { status, kind, isStatusOld, outcomeUnknown } = failed;
	if (outcomeUnknown || status === undefined) return undefined;
	if ((status === 'COMPLETED' || status === 'FAILED') && status !== job.state) return 'a wrong end';
	if (kind === 'timedOut' && !isStatusOld && status !== 'COMPLETED')
		return isRunningAtLastCheck(execution, job) ? undefined : 'called running without knowing it';
	return undefined;
}

/** Whether the execution's last status check of this request got the service's own words: as they are, or under another HTTP status. */
function isRunningAtLastCheck({ calls }: Execution, { requestId }: JobView): boolean {
	const last = calls
		.filter((call) => call.requestId === requestId && ['status', 'poll'].includes(call.kind))
		.at(-1);
	if (last?.status === undefined) return false;
	return last.fault === 'under 500' || (last.status === 200 && last.fault === undefined);
}

/** After an error said that a request completed, no later error of the same person says less. */
export function forgottenCharges(played: Played): Array<string | undefined> {
	const completed = new Map<string, number>();
	return requestErrors(played).flatMap(({ execution, failed, job }) => {
		const key = `${execution.threadIndex}.${execution.lineage} ${job.requestId}`;
		const isKnown = completed.has(key);
		if (failed.status === 'COMPLETED') completed.set(key, execution.endedAt);
		if (!isKnown) return [];
		const says = failed.status === 'COMPLETED' || failed.status === 'EXPIRED';
		return [says ? undefined : `it was COMPLETED before: ${failed.status}: ${failed.message}`];
	});
}
