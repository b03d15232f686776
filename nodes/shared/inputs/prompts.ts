import { shown } from '../base/redact';
import { isBlank } from '../base/text';
import {
	promptParameter,
	promptValue,
	takesInstruction,
	takesSystemMessage,
	userMessages,
} from '../catalogue/prompt';
import { readStoredForm } from '../catalogue/form';
import { metadataOf } from '../catalogue/modelList';
import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import type { Session } from '../run/session';

export type PromptField = 'Prompt' | 'System Prompt';

/** A name that Prompt or System Prompt takes up. */
interface PromptInput {
	sentAs: string;
	/** What is sent; undefined for a name that nothing else may be sent under. */
	value?: unknown;
	from: PromptField;
}

/**
 * Prompt and System Prompt as the model takes them; nothing for empty ones. The prompt has the model's own name: the workflow's form knows it
 * from the list, which this process may never have seen. With a system prompt, no `messages` of the user's own may be sent.
 */
export function promptInputs(
	session: Session,
	slug: string,
	{ prompt, system }: { prompt: string; system: string },
): PromptInput[] {
	const stored = readStoredForm(session.context.getNode().parameters.parameters);
	const isStored = stored.slug === slug;
	const name = (isStored ? stored.promptName : undefined) ?? promptParameter(slug);
	const prompted = (text: string, from: PromptField): PromptInput[] =>
		isBlank(text) ? [] : [{ sentAs: name, value: promptValue(name, text), from }];
	const sent = prompted(prompt, 'Prompt');
	hintAtUnknownPrompt(session, slug, name, sent.length > 0 && stored.promptName === undefined);
	if (isBlank(system)) return sent;
	const from = 'System Prompt';
	if (takesSystemMessage(slug)) {
		const value = [{ role: 'system', content: system }, ...userMessages(prompt)];
		const taken = sent.flatMap(({ sentAs }): PromptInput[] =>
			sentAs === 'messages' ? [] : [{ sentAs, from: 'Prompt' }],
		);
		return [{ sentAs: 'messages', value, from }, ...taken];
	}
	const { parameters } = metadataOf(slug, session.client.urls.endpointAdminUrl);
	const known = [
		...(isStored ? stored.wireTypes.keys() : []),
		...parameters.map((one) => one.name),
	];
	if (takesInstruction(slug, known))
		return withMessages([{ sentAs: 'instruction', value: system, from }, ...sent]);
	session.hints.add(fill(HINTS.systemPromptJoined, { model: shown(slug) }));
	const joined = [system, prompt].filter((text) => !isBlank(text)).join('\n\n');
	return withMessages(prompted(joined, isBlank(prompt) ? from : 'Prompt'));
}

/** In the editor: a prompt was sent to a model whose published parameters have none. */
function hintAtUnknownPrompt(session: Session, slug: string, name: string, isSent: boolean): void {
	if (!session.isManual || !isSent) return;
	const { parameters } = metadataOf(slug, session.client.urls.endpointAdminUrl);
	if (parameters.length === 0 || parameters.some((one) => one.name === name)) return;
	session.hints.add(fill(HINTS.promptUnknown, { model: shown(slug) }));
}

/** The inputs, and `messages` taken up by System Prompt. */
function withMessages(inputs: PromptInput[]): PromptInput[] {
	const isTaken = inputs.some(({ sentAs }) => sentAs === 'messages');
	return isTaken ? inputs : [...inputs, { sentAs: 'messages', from: 'System Prompt' }];
}
