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
import { knownParameters } from '../catalogue/modelList';
import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import type { Session } from '../run/session';

export type PromptField = 'Prompt' | 'System Prompt';

/** An input name that Prompt or System Prompt uses. */
interface PromptInput {
	sentAs: string;
	/** The value to send; undefined if the name is only reserved, so that no other input can use it. */
	value?: unknown;
	from: PromptField;
}

/**
 * Returns the inputs that Prompt and System Prompt become; none for an empty field. The name of the prompt parameter comes from the form stored in the workflow,
 * because this process may not know the model. With a system prompt, `messages` is reserved.
 */
export function promptInputs(
	session: Session,
	slug: string,
	{ prompt, system }: { prompt: string; system: string },
): PromptInput[] {
	const stored = readStoredForm(session.context.getNode().parameters.parameters);
	const isStored = stored.slug === slug;
	const name = (isStored ? stored.promptName : undefined) ?? promptNameOf(slug);
	const inputsFor = (text: string, from: PromptField): PromptInput[] =>
		isBlank(text) ? [] : [{ sentAs: name, value: promptValue(name, text), from }];
	const promptInput = inputsFor(prompt, 'Prompt');
	hintAtUnknownPrompt(
		session,
		slug,
		name,
		promptInput.length > 0 && stored.promptName === undefined,
	);
	if (isBlank(system)) return promptInput;
	const from = 'System Prompt';
	if (takesSystemMessage(slug)) {
		const value = [{ role: 'system', content: system }, ...userMessages(prompt)];
		const reservedNames = promptInput.flatMap(({ sentAs }): PromptInput[] =>
			sentAs === 'messages' ? [] : [{ sentAs, from: 'Prompt' }],
		);
		return [{ sentAs: 'messages', value, from }, ...reservedNames];
	}
	const parameters = knownParameters(slug, session.client.urls.endpointAdminUrl);
	const parameterNames = [
		...(isStored ? stored.wireTypes.keys() : []),
		...parameters.map((one) => one.name),
	];
	if (takesInstruction(slug, parameterNames))
		return reserveMessages([{ sentAs: 'instruction', value: system, from }, ...promptInput]);
	session.hints.add(fill(HINTS.systemPromptJoined, { model: safeTextOf(slug) }));
	const joined = [system, prompt].filter((text) => !isBlank(text)).join('\n\n');
	return reserveMessages(inputsFor(joined, isBlank(prompt) ? from : 'Prompt'));
}

/** Adds a hint in the editor if the model's published parameters don't include the prompt. */
function hintAtUnknownPrompt(session: Session, slug: string, name: string, isSent: boolean): void {
	if (!session.isManual || !isSent) return;
	const parameters = knownParameters(slug, session.client.urls.endpointAdminUrl);
	if (parameters.length === 0 || parameters.some((one) => one.name === name)) return;
	session.hints.add(fill(HINTS.promptUnknown, { model: safeTextOf(slug) }));
}

/** Returns the inputs, with the name `messages` reserved for System Prompt. */
function reserveMessages(inputs: PromptInput[]): PromptInput[] {
	const isTaken = inputs.some(({ sentAs }) => sentAs === 'messages');
	return isTaken ? inputs : [...inputs, { sentAs: 'messages', from: 'System Prompt' }];
}
