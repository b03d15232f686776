import { safeTextOf } from '../base/redact';
import { isBlank } from '../base/text';
import {
	promptNameOf,
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

/** An input name that Prompt or System Prompt uses. */
interface PromptInput {
	sentAs: string;
	/** The value to send; undefined for a name that must stay unused. */
	value?: unknown;
	from: PromptField;
}

/**
 * Prompt and System Prompt as the model takes them; nothing for empty ones. The form stored in the workflow has the model's name of the prompt
 * parameter, which this process may not know. With a system prompt, the user can't send `messages` of their own.
 */
export function promptInputs(
	session: Session,
	slug: string,
	{ prompt, system }: { prompt: string; system: string },
): PromptInput[] {
	const stored = readStoredForm(session.context.getNode().parameters.parameters);
	const isStored = stored.slug === slug;
	const name = (isStored ? stored.promptName : undefined) ?? promptNameOf(slug);
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
	session.hints.add(fill(HINTS.systemPromptJoined, { model: safeTextOf(slug) }));
	const joined = [system, prompt].filter((text) => !isBlank(text)).join('\n\n');
	return withMessages(prompted(joined, isBlank(prompt) ? from : 'Prompt'));
}

/** Adds a hint in the editor if the model has no prompt among its published parameters. */
function hintAtUnknownPrompt(session: Session, slug: string, name: string, isSent: boolean): void {
	if (!session.isManual || !isSent) return;
	const { parameters } = metadataOf(slug, session.client.urls.endpointAdminUrl);
	if (parameters.length === 0 || parameters.some((one) => one.name === name)) return;
	session.hints.add(fill(HINTS.promptUnknown, { model: safeTextOf(slug) }));
}

/** The inputs, with `messages` used by System Prompt. */
function withMessages(inputs: PromptInput[]): PromptInput[] {
	const isTaken = inputs.some(({ sentAs }) => sentAs === 'messages');
	return isTaken ? inputs : [...inputs, { sentAs: 'messages', from: 'System Prompt' }];
}
