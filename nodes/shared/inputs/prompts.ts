import {
	promptParameter,
	promptValue,
	takesInstruction,
	takesSystemMessage,
	userMessages,
} from '../catalogue/prompt';
import { readStoredForm } from '../catalogue/form';
import { metadataOf } from '../catalogue/modelList';
import type { Session } from '../run/session';

export type PromptField = 'Prompt' | 'System Prompt';

/** A name that Prompt or System Prompt takes up. */
interface PromptInput {
	name: string;
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
		text === '' ? [] : [{ name, value: promptValue(name, text), from }];
	const sent = prompted(prompt, 'Prompt');
	if (system === '') return sent;
	const from = 'System Prompt';
	if (takesSystemMessage(slug)) {
		const value = [{ role: 'system', content: system }, ...userMessages(prompt)];
		const taken = sent.filter((input) => input.name !== 'messages');
		return [{ name: 'messages', value, from }, ...taken.map(({ value: _sent, ...rest }) => rest)];
	}
	const { parameters } = metadataOf(slug, session.client.urls.endpointAdminUrl);
	const known = [
		...(isStored ? stored.wireTypes.keys() : []),
		...parameters.map((one) => one.name),
	];
	if (takesInstruction(slug, known))
		return withMessages([{ name: 'instruction', value: system, from }, ...sent]);
	session.hints.add(
		`Model '${slug}' is not known to have a parameter for a system prompt, so System Prompt was sent as the first part of the prompt.`,
	);
	const joined = [system, prompt].filter((text) => text !== '').join('\n\n');
	return withMessages(prompted(joined, prompt === '' ? from : 'Prompt'));
}

/** The inputs, and `messages` taken up by System Prompt. */
function withMessages(inputs: PromptInput[]): PromptInput[] {
	const isTaken = inputs.some(({ name }) => name === 'messages');
	return isTaken ? inputs : [...inputs, { name: 'messages', from: 'System Prompt' }];
}
