import { safeTextOf } from '../base/redact';
import { isBlank } from '../base/text';
import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import type { Additions } from './additions';
import { familyOf, messagesOf } from './conversation';
import type { Input, InputsByName } from './files';
import type { BodyParameters } from './bodyParameters';
import { readPlainText } from './values';

/** An input name that Prompt or System Prompt uses. Without an input it is only reserved, so that nothing else can use it. */
interface PromptInput {
	sentAs: string;
	from: 'Prompt' | 'System Prompt';
	input?: Input;
}

const ENTER_OR_CLEAR =
	'System Prompt, Conversation and Images belong to a prompt. If you enter the messages yourself, leave them empty too.';

/**
 * Returns the inputs that Prompt, System Prompt and what belongs to them become; none for an empty prompt. The prompt's own name and `messages` are reserved.
 * @throws SegmindFailure if a prompt isn't text, or is empty although something belongs to it
 */
export function promptInputs(
	{ context, hints }: Session,
	itemIndex: number,
	slug: string,
	{ promptName, byName }: BodyParameters,
	{ turns = [], pictures = [] }: Partial<Additions>,
): PromptInput[] {
	const prompt = readPlainText(context.getNodeParameter('prompt', itemIndex, ''), 'Prompt');
	const systemPrompt = context.getNodeParameter('systemPrompt', itemIndex, '') ?? '';
	const system = readPlainText(systemPrompt, 'System Prompt');
	const hasSystem = !isBlank(system);
	const isChat = turns.length + pictures.length > 0;
	if (isBlank(prompt) && !hasSystem && !isChat) return [];
	if (isBlank(prompt)) throw badInput(INPUTS.empty, { label: 'Prompt', todo: ENTER_OR_CLEAR });
	const family = familyOf(slug);
	const takesInstruction = family === 'claude' || byName.has('instruction');
	const takesSystem = takesInstruction || family !== 'unknown' || promptName === 'messages';
	const isJoined = hasSystem && !isChat && !takesSystem;
	if (isJoined) hints.add(fill(HINTS.systemPromptJoined, { model: safeTextOf(slug) }));
	const conversation = { system: takesInstruction || !hasSystem ? '' : system, turns, prompt };
	const isPlain = !isChat && promptName !== 'messages' && (conversation.system === '' || isJoined);
	const promptInput: PromptInput = isPlain
		? {
				sentAs: promptName,
				from: 'Prompt',
				input: { value: isJoined ? `${system}\n\n${prompt}` : prompt },
			}
		: {
				sentAs: 'messages',
				from: 'Prompt',
				input: { pictures, valueWith: (read) => messagesOf(family, conversation, read) },
			};
	const instruction: PromptInput[] =
		hasSystem && takesInstruction
			? [{ sentAs: 'instruction', from: 'System Prompt', input: { value: system } }]
			: [];
	const reserved = [...new Set(['messages', promptName])].filter(
		(name) => name !== promptInput.sentAs,
	);
	return [
		...instruction,
		promptInput,
		...reserved.map((sentAs): PromptInput => ({ sentAs, from: 'Prompt' })),
	];
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
