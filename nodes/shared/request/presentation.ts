import { textIn } from '../inputs/values';
import type { Presentation } from '../output/finished';
import { readOptions } from '../run/options';
import type { Session } from '../run/session';

/** Options and `simplify` of an item; warns once when n8n itself would end the execution before our time-out. */
export function readPresentation(session: Session, itemIndex: number): Presentation {
	const options = readOptions(session.context, itemIndex);
	const limit = Number(session.context.getWorkflowSettings?.().executionTimeout);
	if (limit > 0 && limit * 1_000 < options.timeoutMs) {
		session.hints.add(
			`The workflow's own timeout of ${limit} s is shorter than this node's Timeout of ${options.timeoutMs / 1_000} s: n8n may end the execution while a paid request is running. Raise the workflow's or lower the node's. If it does, the ID is in the n8n log, and Get Result fetches it.`,
		);
	}
	return {
		simplify: session.context.getNodeParameter('simplify', itemIndex, true) !== false,
		options,
		prompt: textIn(session.context.getNodeParameter('prompt', itemIndex, '')),
		input: options.includeInputItem ? session.items[itemIndex].json : undefined,
	};
}
