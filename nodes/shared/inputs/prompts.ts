import type { IDataObject } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { isBlank } from '../base/text';
import { badInput, fill, wrongState } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import { PARTS } from '../errors/parts';
import type { Session } from '../run/session';
import { readAnswerFormat } from './answerFormat';
import type { BodyParameters } from './bodyParameters';
import { familyOf, type Conversation } from './conversation';
import { assertExpressions, rawParameter } from './expressions';
import { isBinary, readFileField, type Files, type NamedInput } from './files';
import { filesOfKind, type ImagesIn, type TargetModel } from './ownFile';
import { readChoice, readPlainText } from './values';

const ENTER_OR_CLEAR =
	'System Prompt, Conversation and Images belong to a prompt. If you enter the messages yourself, leave them empty too.';

/**
 * Returns the inputs that Prompt and System Prompt become and, for a language model, what belongs to them: conversation, pictures and the form of the answer.
 * @throws SegmindFailure if a prompt isn't text, or is empty although something belongs to it
 */
export function promptInputs(
	session: Session,
	itemIndex: number,
	{ slug, imagesIn }: TargetModel,
	{ promptName, byName }: BodyParameters,
): NamedInput[] {
	const prompt = readPromptField(session, itemIndex, 'prompt', 'Prompt');
	const system = readPromptField(session, itemIndex, 'systemPrompt', 'System Prompt');
	const turns = imagesIn ? readTurns(session, itemIndex) : [];
	const parts = imagesIn ? readImages(session, itemIndex, imagesIn) : [];
	const format = imagesIn && readAnswerFormat(session, itemIndex);
	const inputs: NamedInput[] = format ? [['response_format', { value: format }]] : [];
	const isChat = turns.length + parts.length > 0;
	if (prompt === '') {
		if (system === '' && !isChat) return inputs;
		throw badInput(INPUTS.empty, { label: 'Prompt', todo: ENTER_OR_CLEAR });
	}
	const family = familyOf(slug);
	const takesInstruction = family === 'claude' || byName.has('instruction');
	if (system !== '' && takesInstruction) inputs.push(['instruction', { value: system }]);
	const ownSystem = takesInstruction ? '' : system;
	const isMessages = isChat || promptName === 'messages';
	if (isMessages || (ownSystem !== '' && family !== 'unknown')) {
		const conversation: Conversation = { system: ownSystem, turns, prompt };
		return [...inputs, ['messages', { parts, family, conversation }]];
	}
	if (ownSystem !== '') session.hints.add(fill(HINTS.systemPromptJoined, { model: slug }));
	return [...inputs, [promptName, { value: ownSystem ? `${ownSystem}\n\n${prompt}` : prompt }]];
}

/** Reads a prompt; '' if it's blank. */
function readPromptField(
	session: Session,
	itemIndex: number,
	name: 'prompt' | 'systemPrompt',
	label: string,
): string {
	assertExpressions(session, itemIndex, label, rawParameter(session, name));
	const value: unknown = session.context.getNodeParameter(name, itemIndex, '');
	const text = readPlainText(name === 'prompt' ? value : (value ?? ''), label);
	return isBlank(text) ? '' : text;
}

function readTurns(session: Session, itemIndex: number): Conversation['turns'] {
	const path = 'options.conversation.values';
	const rows = session.context.getNodeParameter(path, itemIndex, []) as IDataObject[];
	return rows.flatMap(({ role, message }, at) => {
		const label = `Message ${at + 1} of Conversation`;
		assertExpressions(session, itemIndex, label, rawParameter(session, `${path}.${at}`));
		const text = readPlainText(message ?? '', label);
		if (isBlank(text)) return [];
		const who = readChoice(role ?? 'user', `Role of ${label}`, ['user', 'assistant'] as const);
		return [{ role: who, text }];
	});
}

/** Reads the pictures. A task that needs one sends the item's only picture if none is given. */
function readImages(session: Session, itemIndex: number, imagesIn: ImagesIn): Files['parts'] {
	const { context, hints, isTool } = session;
	const label = 'Images';
	const raw = rawParameter(session, imagesIn);
	const isNeeded = imagesIn === 'images';
	const isExpression = typeof raw === 'string' && raw.startsWith('=');
	assertExpressions(session, itemIndex, label, raw, !isNeeded);
	const value: unknown = context.getNodeParameter(imagesIn, itemIndex, '') ?? '';
	const { parts } = readFileField(session, itemIndex, label, value, true);
	// A model's text must not make n8n read a file of its own network.
	if (isTool && isExpression && parts.some((part) => !isBinary(part) && !/^data:/i.test(part)))
		throw wrongState(label, 'a URL from an AI agent', 'binary data, or a URL entered in the node');
	if (parts.length > 0) return parts;
	const values = { item: itemIndex, label, expression: safeTextOf(raw), fault: 'empty' };
	if (isExpression && !isTool && isNeeded) throw badInput(INPUTS.undefinedPart, values);
	if (isExpression && !isTool) hints.add(fill(HINTS.leftOut, values));
	if (!isNeeded) return [];
	const own = filesOfKind(session, itemIndex, 'image/');
	if (own.length === 1) return [own[0][1]];
	const files = own.map(([name]) => name).join(', ');
	const todo = own.length > 1 ? fill(PARTS.severalImages, { files }) : PARTS.enterImage;
	throw badInput(INPUTS.empty, { label, todo });
}

/** @throws SegmindFailure if the model requires a prompt, or is a language model, and none of the inputs is one */
export function assertPrompt(
	slug: string,
	{ promptName, isPromptRequired }: BodyParameters,
	inputs: ReadonlyMap<string, unknown>,
): void {
	if (!isPromptRequired || inputs.has(promptName) || inputs.has('messages')) return;
	const todo = fill(PARTS.needsPrompt, { slug, name: promptName });
	throw badInput(INPUTS.empty, { label: 'Prompt', todo });
}
