import type { Task } from '../catalogue/tasks';
import type { SegmindFailure } from '../base/failure';
import { isBlank } from '../base/text';
import { badInput, emptyInput } from '../errors/failures';
import { say, type Said } from '../errors/say';
import { missingValueFailure } from '../parameters/expressions';
import { readPlainText } from '../parameters/values';
import type { Item } from '../run/item';
import { readAnswerFormat, readIsJson } from './answerFormat';
import { isFormShown, labelOf, type BodyParameters } from './bodyParameters';
import { familyOf, readEarlierMessages, type Conversation, type Turn } from './conversation';
import { filesIn, type Files, type NamedInput } from './files';
import { addLeftOutHint } from './formValues';
import { filesOfKind, onlyFileOfKind } from './ownFile';

/** Where the pictures for a language model are: in a field, for a task that needs one, or in an option. */
type ImagesIn = 'images' | 'options.images';

const ENTER_OR_CLEAR = say`Enter a prompt, or leave System Prompt, Conversation and Images empty too.`;

/** What the user wrote for a model: prompts and, for a language model, earlier messages and pictures. */
interface PromptFields extends Conversation {
	pictures: Files['parts'];
}

/**
 * Returns the inputs that Prompt and System Prompt become and, for a language model, what belongs to them: conversation, pictures and the form of the answer.
 * @throws SegmindFailure if a prompt isn't text, or is empty although something belongs to it
 */
export async function promptInputs(
	item: Item,
	task: Task | undefined,
	known: BodyParameters,
): Promise<{ prompt: string; inputs: NamedInput[] }> {
	const isLanguageTask = task?.makes === 'text';
	const imagesIn = task?.question ? 'images' : 'options.images';
	const fields = await readPromptFields(item, isLanguageTask ? imagesIn : undefined);
	const { prompt } = fields;
	const inputs: NamedInput[] =
		isLanguageTask && readIsJson(item)
			? [['response_format', { kind: 'value', value: readAnswerFormat(item) }]]
			: [];
	if (prompt !== '')
		return { prompt, inputs: [...inputs, ...inputsOf(item, known, fields, isLanguageTask)] };
	if (fields.system === '' && !isChat(fields)) return { prompt, inputs };
	throw emptyInput(item.parameters.label('prompt'), ENTER_OR_CLEAR);
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

function blankAsEmpty(text: string): string {
	return isBlank(text) ? '' : text;
}

function isChat({ turns, pictures }: PromptFields): boolean {
	return turns.length > 0 || pictures.length > 0;
}

/** Whether a model takes messages. Under another task than a language model's, a form without messages shows that it only has such a name. */
function takesMessages(
	{ slug, promptName, byName }: BodyParameters,
	isLanguageTask: boolean,
): boolean {
	if (promptName === 'messages') return true;
	if (familyOf(slug) === 'unknown') return false;
	return isLanguageTask || byName.size === 0 || byName.has('messages');
}

/** Returns what a prompt is sent as: a conversation or a text, with the system prompt in it unless the model has a parameter of its own for that. */
function inputsOf(
	item: Item,
	known: BodyParameters,
	fields: PromptFields,
	isLanguageTask: boolean,
): NamedInput[] {
	const { slug, promptName, byName } = known;
	const { turns, prompt, pictures } = fields;
	const family = familyOf(slug);
	const takesInstruction = family === 'claude' || byName.has('instruction');
	const system = takesInstruction ? '' : fields.system;
	const inputs: NamedInput[] =
		system === fields.system ? [] : [['instruction', { kind: 'value', value: fields.system }]];
	if (isChat(fields) || takesMessages(known, isLanguageTask)) {
		const conversation = { system, turns, prompt };
		return [
			...inputs,
			['messages', { kind: 'conversation', parts: pictures, family, conversation }],
		];
	}
	if (system === '') return [...inputs, [promptName, { kind: 'value', value: prompt }]];
	const text = say`Model '${slug}' is not known to have a parameter for a system prompt, so System Prompt is sent as the first part of the prompt.`;
	item.run.events.addHint({ text });
	return [[promptName, { kind: 'value', value: `${system}\n\n${prompt}` }]];
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
	if (isEmptyExpression) throw missingValueFailure(label, String(parameters.stored(path)), 'empty');
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
			: say`Enter an image's URL, or connect a node that outputs an image.`;
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
		say`${item.parameters.label('prompt')} is empty, but model '${slug}' doesn't work without a prompt`,
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
