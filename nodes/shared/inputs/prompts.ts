import type { SegmindFailure } from '../base/failure';
import { isBlank } from '../base/text';
import { badInput, emptyInput } from '../errors/failures';
import { say, type Said } from '../errors/say';
import { readPlainText } from '../parameters/values';
import type { Item } from '../run/item';
import { readAnswerFormat } from './answerFormat';
import { isFormShown, labelOf, type BodyParameters, type TargetModel } from './bodyParameters';
import { familyOf, type Conversation, type Turn } from './conversation';
import { readEarlierMessages } from './earlierMessages';
import { filesIn, type Files, type NamedInput } from './files';
import { addLeftOutHint, emptyExpressionFailure } from './leftOut';
import { filesOfKind, onlyFileOfKind } from './ownFile';

/** Where the pictures for a language model are: in a field, for a task that needs one, or in an option. */
type ImagesIn = 'images' | 'options.images';

const ENTER_OR_CLEAR = say`Enter a prompt, or leave System Prompt, Conversation and Images empty too.`;

/** What the user wrote for a model: prompts and, for a language model, earlier messages and pictures. */
interface PromptFields extends Conversation {
	pictures: Files['parts'];
}

/**
 * How a prompt is sent: `plain`, as a text of its own; `messages`, as a conversation; `joined`, in one text after the system prompt. In any form, a model
 * may take the system prompt under the name `instruction`.
 */
type PromptForm = 'plain' | 'messages' | 'joined';

/**
 * Returns the inputs that Prompt and System Prompt become and, for a language model, what belongs to them: conversation, pictures and the form of the answer.
 * @throws SegmindFailure if a prompt isn't text, or is empty although something belongs to it
 */
export async function promptInputs(
	item: Item,
	{ task, isJson }: TargetModel,
	known: BodyParameters,
): Promise<{ prompt: string; inputs: NamedInput[] }> {
	const isLanguageTask = task?.makes === 'text';
	const imagesIn = task?.question ? 'images' : 'options.images';
	const fields = await readPromptFields(item, isLanguageTask ? imagesIn : undefined);
	const { prompt, system } = fields;
	const inputs: NamedInput[] =
		isLanguageTask && isJson
			? [['response_format', { kind: 'value', value: readAnswerFormat(item) }]]
			: [];
	if (prompt === '') {
		if (system === '' && !isChat(fields)) return { prompt, inputs };
		throw emptyInput(labelOfPrompt(item), ENTER_OR_CLEAR);
	}
	const form = promptForm(known, fields, isLanguageTask);
	if (form === 'joined') {
		const text = say`Model '${known.slug}' is not known to have a parameter for a system prompt, so System Prompt is sent as the first part of the prompt.`;
		item.run.events.addHint({ text });
	}
	return { prompt, inputs: [...inputs, ...inputsInForm(form, known, fields)] };
}

async function readPromptFields(item: Item, imagesIn?: ImagesIn): Promise<PromptFields> {
	const { parameters } = item;
	const prompt = blankAsEmpty(parameters.plainText('prompt'));
	const systemPrompt = parameters.definedValue('systemPrompt') ?? '';
	const system = blankAsEmpty(readPlainText(systemPrompt, parameters.label('systemPrompt')));
	if (!imagesIn) return { prompt, system, turns: [], pictures: [] };
	const pictures = await readPictureField(item, imagesIn);
	return { prompt, ...withEarlierMessages(item, system), pictures };
}

/** Returns what a language model reads before the prompt. System messages are added to the system prompt, because only there each family accepts them. */
function withEarlierMessages(
	item: Item,
	systemPrompt: string,
): Pick<Conversation, 'system' | 'turns'> {
	const turns: Turn[] = [];
	const systemTexts = systemPrompt === '' ? [] : [systemPrompt];
	for (const { role, text } of readEarlierMessages(item)) {
		if (role === 'system') systemTexts.push(text);
		else turns.push({ role, text });
	}
	return { system: systemTexts.join('\n\n'), turns };
}

/** Returns what the task calls its prompt. */
function labelOfPrompt({ parameters }: Item): string {
	return parameters.label('prompt');
}

function blankAsEmpty(text: string): string {
	return isBlank(text) ? '' : text;
}

function isChat({ turns, pictures }: PromptFields): boolean {
	return turns.length > 0 || pictures.length > 0;
}

function promptForm(
	known: BodyParameters,
	fields: PromptFields,
	isLanguageTask: boolean,
): PromptForm {
	if (isChat(fields) || known.promptName === 'messages') return 'messages';
	if (isLanguageModel(known, isLanguageTask)) return 'messages';
	return fields.system === '' || takesInstruction(known) ? 'plain' : 'joined';
}

/** Whether a model is of a family that takes messages. Under another task, a form without messages shows that it only has such a name. */
function isLanguageModel({ slug, byName }: BodyParameters, isLanguageTask: boolean): boolean {
	if (familyOf(slug) === 'unknown') return false;
	return isLanguageTask || byName.size === 0 || byName.has('messages');
}

/** Whether a model has a parameter of its own for the system prompt. */
function takesInstruction({ slug, byName }: BodyParameters): boolean {
	return familyOf(slug) === 'claude' || byName.has('instruction');
}

function inputsInForm(
	form: PromptForm,
	known: BodyParameters,
	{ prompt, system, turns, pictures }: PromptFields,
): NamedInput[] {
	const isInstruction = system !== '' && takesInstruction(known);
	const inputs: NamedInput[] = isInstruction
		? [['instruction', { kind: 'value', value: system }]]
		: [];
	const ownSystem = isInstruction ? '' : system;
	if (form === 'messages') {
		const conversation: Conversation = { system: ownSystem, turns, prompt };
		const family = familyOf(known.slug);
		return [
			...inputs,
			['messages', { kind: 'conversation', parts: pictures, family, conversation }],
		];
	}
	const value = form === 'joined' ? `${ownSystem}\n\n${prompt}` : prompt;
	return [...inputs, [known.promptName, { kind: 'value', value }]];
}

/** Reads the pictures. A task that needs one sends the item's only picture if none is given. */
async function readPictureField(item: Item, path: ImagesIn): Promise<Files['parts']> {
	const { parameters } = item;
	const isNeeded = path === 'images';
	const value = isNeeded ? parameters.definedValue(path) : parameters.value(path);
	const label = parameters.label(path);
	const { parts } = await filesIn(item, label, value ?? '', true);
	if (parts.length > 0) return parts;
	const isEmptyExpression = parameters.isExpression(path) && !item.run.isTool;
	if (!isNeeded) {
		if (isEmptyExpression) addLeftOutHint(item, label);
		return [];
	}
	if (isEmptyExpression) throw emptyExpressionFailure(label, parameters.stored(path));
	const own = onlyFileOfKind(item.binaries, 'image/');
	if (!own) throw noPictureFailure(item, label);
	return [own[1]];
}

/** Returns the error for an item that has no picture, or several. */
function noPictureFailure({ binaries }: Item, label: string): SegmindFailure {
	const own = filesOfKind(binaries, 'image/');
	const files = own.map(([name]) => name);
	const next =
		own.length > 1
			? say`Enter which of the item's images to send, separated by commas: ${files}.`
			: say`Enter the name of a binary field, usually data, or an image's URL.`;
	return emptyInput(label, next);
}

/** @throws SegmindFailure if the model requires a prompt, or is a language model, and none of the inputs is one */
export function assertPrompt(
	item: Item,
	known: BodyParameters,
	inputs: ReadonlyMap<string, unknown>,
): void {
	const { slug, promptName, isPromptRequired } = known;
	if (!isPromptRequired || inputs.has(promptName) || inputs.has('messages')) return;
	throw badInput(
		say`${labelOfPrompt(item)} is empty, but model '${slug}' doesn't work without a prompt`,
		promptAdvice(item, known),
	);
}

/** Names the field for the prompt that the user sees: the task's own or, without one, the form's. */
function promptAdvice(item: Item, known: BodyParameters): Said {
	const { parameters } = item;
	const { promptName, byName } = known;
	if (parameters.has('prompt')) return say`Fill in ${parameters.label('prompt')}.`;
	const isInForm = isFormShown(item) && byName.get(promptName)?.label !== undefined;
	if (isInForm) return say`Fill in ${labelOf(known, promptName)}.`;
	return say`Add the input '${promptName}' under Options > Additional Parameters.`;
}
