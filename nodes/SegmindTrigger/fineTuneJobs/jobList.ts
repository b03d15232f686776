import { READ_LIMIT_MS } from '../../shared/service/client';
import { noAnswer, refusal, unusable } from '../../shared/service/answerErrors';
import { jsonOf } from '../../shared/service/answers';
import { isSuccess } from '../../shared/service/http';
import { joinUrl } from '../../shared/service/origins';
import { memberText } from '../../shared/service/picker';
import { firstList, isObject } from '../../shared/service/schemas';
import type { PollSession } from '../pollSession';

/** A fine-tune job of the account. */
export interface Job {
	id: string;
	/** In capitals. */
	status: string;
	/** As the service listed it. */
	body: Record<string, unknown>;
}

/**
 * GET /finetune/request/list (docs/service.md S342): a list, or an object that holds one. A job without an id is left out; of several entries
 * with one id the last counts.
 * @throws SegmindFailure when there is no list
 */
export async function listJobs(session: PollSession): Promise<Job[]> {
	const about = { purpose: 'manage' as const, subject: 'the list of fine-tune jobs' };
	const { client } = session;
	const sent = await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.baseUrl, '/finetune/request/list'),
			limitMs: READ_LIMIT_MS,
		},
		{ purpose: 'result', deadline: session.endsAt },
	);
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	if (!isSuccess(sent.answer.status)) throw refusal(client, sent.answer, about);
	const body = jsonOf(sent.answer);
	if (!Array.isArray(body) && !isObject(body)) throw unusable(client, sent.answer, about, 'none');
	const jobs = firstList(body).filter(isObject).map(jobOf);
	return [...new Map(jobs.filter(({ id }) => id !== '').map((job) => [job.id, job])).values()];
}

function jobOf(body: Record<string, unknown>): Job {
	return {
		id: memberText(body, 'finetune_id', 'id'),
		status: memberText(body, 'status').toUpperCase(),
		body,
	};
}
