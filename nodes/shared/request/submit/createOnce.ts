import type { INodeExecutionData } from 'n8n-workflow';

import type { JsonBody } from '../../inputs/json';
import { readOptions } from '../../run/options';
import type { Session } from '../../run/session';
import type { HttpAnswer } from '../../service/http';
import { nextStep } from './nextStep';
import { journalOf, type Submission } from './submission';
import { submitOnce } from './submitOnce';

/** Something that is made at the service, paid as long as it exists, and has no request history: an endpoint, a training. */
interface Creation {
	itemIndex: number;
	url: string;
	/** In the user's words: "endpoint 'x'". */
	subject: string;
	body: JsonBody;
	/** What its id is the id of: "endpoint". */
	idOf: string;
	/** Where a person sees whether it was made after all. */
	whereToLook: string;
	/** The id in a success, '' when it names none; undefined for an answer that cannot be the service's. */
	idIn: (answer: HttpAnswer) => string | undefined;
	/** The output item; without an answer for what an earlier try made. */
	itemFrom: (id: string, answer?: HttpAnswer) => INodeExecutionData;
}

/** Makes it once: a retry gives what the earlier try made. @throws SegmindFailure when it was refused, or may have been made */
export async function createOnce(
	session: Session,
	creation: Creation,
): Promise<INodeExecutionData> {
	const { itemIndex, url, subject, body, idOf, whereToLook, idIn, itemFrom } = creation;
	const submission: Submission = {
		itemIndex,
		url,
		subject,
		purpose: 'manage',
		label: {},
		makeBody: async () => body,
		identity: async () => body.text,
		options: readOptions(session.context, itemIndex),
		managed: { idOf, whereToLook },
	};
	const step = await nextStep(session, submission);
	if (step.do === 'give') return { json: step.output.json };
	// An earlier try had it accepted, and ended before it could give it.
	if (step.do === 'ask') return itemFrom(step.ref.request_id);
	const { ref, made } = await submitOnce(session, submission, (answer) => {
		const request_id = idIn(answer);
		return request_id === undefined ? undefined : { ref: { request_id }, made: answer };
	});
	const item = itemFrom(ref.request_id, made);
	journalOf(session, submission).finish(item);
	return item;
}
