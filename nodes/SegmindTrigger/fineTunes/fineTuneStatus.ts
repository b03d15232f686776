import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../../shared/base/failure';
import { rawBody } from '../../shared/output/finished';
import { memberText } from '../../shared/service/picker';
import { firstList, isObject } from '../../shared/service/schemas';
import { joinUrl } from '../../shared/service/origins';
import { READ_LIMIT_MS } from '../../shared/service/client';
import { noAnswer, refusal, unusable } from '../../shared/service/answerErrors';
import { jsonOf } from '../../shared/service/answers';
import type { Found } from '../found';
import type { PollSession } from '../pollSession';
import { changesIn, type JobChange, type JobStatuses } from './jobState';

type Job = Record<string, unknown>;

/** Jobs whose status changed to one of `chosen` (empty: any). */
export async function findChanges(
	session: PollSession,
	chosen: readonly string[],
	kept: JobStatuses | undefined,
	emitExisting: boolean,
): Promise<Found<JobStatuses>> {
	const jobs = await listJobs(session);
	const { changes, statuses } = changesIn(
		kept,
		[...jobs.values()].map(keyed),
		chosen,
		emitExisting,
	);
	return { state: statuses, items: changes.map((change) => itemOf(jobs, change)) };
}

/** The jobs as they are, as a sample; those with a chosen status where there are any. */
export async function currentJobs(
	session: PollSession,
	chosen: readonly string[],
): Promise<INodeExecutionData[]> {
	const jobs = await listJobs(session);
	if (jobs.size === 0)
		throw new SegmindFailure({
			message: 'There is no fine-tune job to show',
			description:
				'The account has none. Segmind has deprecated fine-tuning and takes no new jobs.',
		});
	const all = [...jobs.values()].map(keyed);
	const matching = all.filter(({ status }) => chosen.length === 0 || chosen.includes(status));
	return (matching.length > 0 ? matching : all).map((job) =>
		itemOf(jobs, { ...job, previous: null }),
	);
}

/** GET /finetune/request/list (docs/service.md S342): a list, or an object that holds one. */
async function listJobs(session: PollSession): Promise<Map<string, Job>> {
	const about = { purpose: 'manage' as const, subject: 'the list of fine-tune jobs' };
	const { client } = session;
	const sent = await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.baseUrl, '/finetune/request/list'),
			limitMs: READ_LIMIT_MS,
		},
		{ lane: 'result', deadline: session.endsAt },
	);
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	const { status } = sent.answer;
	if (status < 200 || status >= 300) throw refusal(client, sent.answer, about);
	const body = jsonOf(sent.answer);
	if (!Array.isArray(body) && !isObject(body)) throw unusable(client, sent.answer, about, 'none');
	const jobs = firstList(body).filter(isObject);
	return new Map(
		jobs.flatMap((job) => (keyed(job).id === '' ? [] : [[keyed(job).id, job] as const])),
	);
}

function keyed(job: Job) {
	return {
		id: memberText(job, 'finetune_id', 'id'),
		status: memberText(job, 'status').toUpperCase(),
	};
}

function itemOf(jobs: Map<string, Job>, { id, status, previous }: JobChange): INodeExecutionData {
	return {
		json: {
			...rawBody(jobs.get(id) ?? {}),
			finetune_id: id,
			status,
			previous_status: previous,
		},
	};
}
