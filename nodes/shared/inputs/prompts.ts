import { safeTextOf } from '../base/redact';
import { isBlank } from '../base/text';
import {
	promptValue,
	takesInstruction,
	takesSystemMessage,
	userMessages,
} from '../catalogue/prompt';
import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import type { Input, InputsByName } from './files';
import type { BodyParameters } from './bodyParameters';
import { readPlainText } from './values';

/** An input name that Prompt or System Prompt uses. Without an input it is only reserved, so that nothing else can use it. */
interface PromptInput {
	sentAs: string;
	from: 'Prompt' | 'System Prompt';
	input?: Input;
}

/**
 * Returns the inputs that Prompt and System Prompt become; none for an empty field. With a system prompt, `messages` and the prompt's own name are reserved.
 * @throws SegmindFailure if one isn't text, or there is a system prompt without a prompt
 */
export function promptInputs(
	{ context, hints }: Session,
	itemIndex: number,
	slug: string,
	{ promptName, byName }: BodyParameters,
): PromptInput[] {
	const prompt = readPlainText(context.getNodeParameter('prompt', itemIndex, ''), 'Prompt');
	const systemPrompt = context.getNodeParameter('systemPrompt', itemIndex, '') ?? '';
	const system = readPlainText(systemPrompt, 'System Prompt');
	const promptInput = (text: string): PromptInput => ({
		sentAs: promptName,
		from: 'Prompt',
		input: { value: promptValue(promptName, text) },
	});
	if (isBlank(system)) return isBlank(prompt) ? [] : [promptInput(prompt)];
	if (isBlank(prompt)) throw noPromptFailure(slug);
	const from = 'System Prompt';
	let sent: PromptInput[];
	if (takesSystemMessage(slug)) {
		const value = [{ role: 'system', content: system }, ...userMessages(prompt)];
		sent = [{ sentAs: 'messages', from, input: { value } }];
	} else if (takesInstruction(slug, [...byName.keys()])) {
		sent = [{ sentAs: 'instruction', from, input: { value: system } }, promptInput(prompt)];
	} else {
		hints.add(fill(HINTS.systemPromptJoined, { model: safeTextOf(slug) }));
		sent = [promptInput(`${system}\n\n${prompt}`)];
	}
	const reserved = ['messages', promptName].filter(
		(name) => !sent.some(({ sentAs }) => sentAs === name),
	);
	return [...sent, ...reserved.map((sentAs): PromptInput => ({ sentAs, from }))];
}

/** @throws SegmindFailure if the model requires a prompt, or is a language model, and none of the inputs is one */
export function assertPrompt(
	slug: string,
	{ promptName, isPromptRequired }: BodyParameters,
	inputs: InputsByName,
): void {
	if (isPromptRequired && !inputs.has(promptName) && !inputs.has('messages'))
		throw noPromptFailure(slug);
}

function noPromptFailure(slug: string) {
	const todo = `Enter a prompt: model '${safeTextOf(slug)}' doesn't work without one.`;
	return badInput(INPUTS.empty, { label: 'Prompt', todo });
}
