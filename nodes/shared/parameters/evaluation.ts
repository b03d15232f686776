import type { IDataObject } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { HIDDEN, safeTextOf, type Redact } from '../base/redact';
import { failureFrom } from '../errors/failures';
import { quoted, say, whole } from '../errors/say';
import { isObject } from '../service/schemas';
import type { Field } from './fieldFinder';

/** What n8n's editor reads of an expression's error, to name the node and the repair. Our message names the field. */
const KEPT_MEMBERS = ['causeDetailed', 'descriptionKey', 'nodeCause', 'parameter', 'type'];
const MAX_TEXT_CHARS = 300;

/** Returns the error for a field whose expression n8n can't evaluate, with what n8n says about it. Our own error stays. Fields are read before any call. */
export function evaluationFailure(
	{ label, isSecret }: Pick<Field, 'label' | 'isSecret'>,
	error: unknown,
	redact: Redact,
): SegmindFailure {
	if (error instanceof SegmindFailure) return error;
	const { message, description, context } = isObject(error) ? error : { message: error };
	const n8nContext = contextToKeep(context, redact);
	const { nodeCause, causeDetailed } = n8nContext;
	const why = isSecret ? HIDDEN : safeTextOf(message, MAX_TEXT_CHARS, redact);
	const node = nodeCause === undefined ? '' : say` (node ${quoted(nodeCause)})`;
	const [repair = 'Correct the expression of this field.'] = [description, causeDetailed].filter(
		(text) => typeof text === 'string',
	);
	return failureFrom('badInput', {
		// The editor shows its own description for n8n's context, so the message says that nothing was sent.
		what: say`n8n can't evaluate the expression of ${label}${node}, so nothing was sent: '${whole(why)}'`,
		next: whole(safeTextOf(repair, MAX_TEXT_CHARS, redact).replace(/\.?$/, '.')),
		charge: 'none',
		n8nContext,
	});
}

function contextToKeep(context: unknown, redact: Redact): Record<string, string> {
	const members = isObject(context) ? (context as IDataObject) : {};
	const texts = KEPT_MEMBERS.flatMap((name) => {
		const value = members[name];
		return typeof value === 'string' ? [[name, safeTextOf(value, MAX_TEXT_CHARS, redact)]] : [];
	});
	return Object.fromEntries(texts) as Record<string, string>;
}
