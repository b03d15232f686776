import type { INodeExecutionData } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import type { AccountSession } from './accountSession';

export interface Change {
	itemIndex: number;
	/** In the user's words: "creating the API key". */
	subject: string;
	/** What to look at when an earlier try has an unknown outcome; undefined when doing it twice does no harm. */
	whenUnknown?: string;
}

/**
 * Does what changes the account once for an item: a retry puts out what the first try put out (design.md section 4, Journal). A try whose
 * outcome is unknown is not repeated, unless doing it twice does no harm.
 */
export async function changeOnce(
	session: AccountSession,
	{ itemIndex, subject, whenUnknown }: Change,
	work: () => Promise<INodeExecutionData>,
): Promise<INodeExecutionData> {
	const entry = session.journal.entry(itemIndex, session.items[itemIndex]);
	if (entry.output) return { json: entry.output.json };
	if (entry.state === 'sending' && whenUnknown !== undefined) {
		throw new SegmindFailure({
			message: `Not sent again: whether an earlier try of ${subject} succeeded is unknown`,
			description: whenUnknown,
			outcomeUnknown: true,
		});
	}
	entry.state = 'sending';
	const item = await work().catch((error: unknown) => {
		if (!(error instanceof SegmindFailure && error.facts.outcomeUnknown))
			session.journal.renew(entry);
		return Promise.reject(error);
	});
	session.journal.finish(entry, item);
	return item;
}
