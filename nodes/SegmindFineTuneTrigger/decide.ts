import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { systemClock } from '../shared/base/clock';
import { shown } from '../shared/base/redact';
import { confirmBeforeStart } from './confirmBeforeStart';
import { deduplicate, deliveredTo, type Delivered } from './deduplicate';
import { RECEIVED, WRONG_SECRET, type Decision } from './deliveryAnswers';
import { readBodyOf, releaseBody } from './deliveryBody';
import { addressesIn, itemJson } from './deliveryItem';
import { log } from './deliveryLog';
import { hasSecret } from './deliverySecret';
import { eventOfJob, subjectOf } from './deliverySubject';
import { canonical, chosenEvents } from './events';

/**
 * Decides on a delivery. Every parameter that may hold an expression is read here: after the answer n8n may no longer evaluate any.
 * @throws what n8n throws for an expression or a credential that cannot be read
 */
export async function decide(context: IWebhookFunctions): Promise<Decision> {
	const arrivedAt = systemClock.now();
	const chosen = chosenEvents(
		context.getNodeParameter('events', []),
		context.getNodeParameter('otherEvents', ''),
	);
	const mustConfirm = context.getNodeParameter('confirmWithSegmind', false) === true;
	const isAllowed = hasSecret(context);
	const read = isAllowed ? readBodyOf(context) : undefined;
	releaseBody(context);
	if (read === undefined) return { answer: WRONG_SECRET };
	if ('status' in read) return { answer: { status: read.status, body: { message: read.message } } };

	const { payload } = read;
	const { event: word, jobId, isTest } = subjectOf(payload, new Set(chosen.keys()));
	// A delivery to the test URL is a test whatever it contains; somebody waits for it in the editor.
	if (context.getMode() === 'manual') {
		const event = word === undefined ? undefined : (chosen.get(canonical(word)) ?? word.trim());
		return startWith({ payload, event, jobId, more: { test: true } });
	}
	if (isTest) return { answer: RECEIVED };
	if (word === undefined) {
		const names = shown(Object.keys(payload).join(', '), 200);
		log(context, `a delivery names no event and started nothing; its members: ${names}`);
		return { answer: RECEIVED };
	}
	const event = chosen.get(canonical(word));
	if (event === undefined) return { answer: RECEIVED };
	if (!mustConfirm) {
		// Without a job id a repeated delivery cannot be deduplicated.
		const delivered = jobId === undefined ? undefined : deliveredTo(context, event, jobId);
		return startWith({ payload, event, jobId }, delivered);
	}
	if (jobId === undefined) {
		log(context, `${eventOfJob(event)} cannot be confirmed and started nothing`);
		return { answer: RECEIVED };
	}
	const text = JSON.stringify(payload);
	return await confirmBeforeStart(context, { event, jobId, text, arrivedAt });
}

interface Unconfirmed {
	payload: Record<string, unknown>;
	event?: string;
	jobId?: string;
	more?: IDataObject;
}

/** Starts the workflow without confirming; with `delivered`, only for the first delivery of its job and event. */
function startWith({ payload, event, jobId, more }: Unconfirmed, delivered?: Delivered): Decision {
	const item = {
		json: itemJson(payload, {
			...(event !== undefined && { event }),
			...(jobId !== undefined && { finetune_id: jobId }),
			...addressesIn(payload),
			...more,
		}),
	};
	return {
		answer: RECEIVED,
		afterAnswer: async () => {
			const isFirst = delivered === undefined || (await deduplicate(delivered, async () => true));
			return isFirst ? item : undefined;
		},
	};
}
