import { z } from 'zod';

import { isRecord, promptOf } from './prompt';

/** The providers of language models, by the form of their messages. */
export type TextFamily = 'openai' | 'anthropic' | 'gemini';

const text = z.object({ type: z.literal('text'), text: z.string() }).strict();
const base64 = z.string().regex(/^[\w+/]+={0,2}$/);
const imageType = z.enum(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);
const imageUrl = z
	.object({
		type: z.literal('image_url'),
		image_url: z.object({ url: z.string().regex(/^(https?:|data:image\/\w+;base64,)/) }).strict(),
	})
	.strict();
const imageBlock = z
	.object({
		type: z.literal('image'),
		source: z.object({ type: z.literal('base64'), media_type: imageType, data: base64 }).strict(),
	})
	.strict();
const messagesWith = (part: z.ZodTypeAny, roles: [string, ...string[]]) =>
	z
		.array(
			z
				.object({
					role: z.enum(roles),
					content: z.union([z.string().min(1), z.array(z.union([text, part])).min(1)]),
				})
				.strict(),
		)
		.min(1);
const geminiText = z.object({ text: z.string() }).strict();
const geminiImage = z
	.object({ inlineData: z.object({ mimeType: imageType, data: base64 }).strict() })
	.strict();
const geminiContents = z
	.object({
		system_instruction: z.object({ parts: geminiText }).strict().optional(),
		contents: z
			.array(
				z
					.object({
						role: z.enum(['user', 'model']),
						parts: z.array(z.union([geminiText, geminiImage])).min(1),
					})
					.strict(),
			)
			.min(1),
	})
	.strict();

/** The form of `messages` for each family (docs/service.md S139 to S143). */
const forms: Record<TextFamily, z.ZodTypeAny> = {
	openai: messagesWith(imageUrl, ['system', 'user', 'assistant']),
	anthropic: messagesWith(imageBlock, ['user', 'assistant']),
	gemini: z.union([geminiContents, messagesWith(text, ['system', 'user', 'assistant'])]),
};
const responseFormat = z
	.object({
		type: z.literal('json_schema'),
		json_schema: z.object({ name: z.string(), schema: z.record(z.string(), z.unknown()) }).strict(),
	})
	.strict();

/** Returns what is wrong with the messages or the response format of a language model's input; undefined if nothing is. */
export function conversationProblem(
	family: TextFamily,
	{ messages, response_format }: Record<string, unknown>,
): string | undefined {
	if (messages !== undefined && !forms[family].safeParse(messages).success)
		return `messages: invalid format for this model (${family}).`;
	return response_format !== undefined && !responseFormat.safeParse(response_format).success
		? 'response_format: only json_schema with name and schema is supported.'
		: undefined;
}

/** Returns the answer of a language model: it repeats the prompt and names what each picture shows, so that a test can see what the model read. */
export function answerTo(
	input: Record<string, unknown>,
	textOf: (content: Buffer) => string | undefined,
): string {
	const pictures = picturesIn(input.messages).map(
		(content) => `[image of ${content.length} bytes: ${textOf(content) ?? 'unknown'}]`,
	);
	const answer = ['Emulated answer to:', promptOf(input), ...pictures].join(' ');
	const format = responseFormat.safeParse(input.response_format);
	return format.success ? JSON.stringify(valueFor(format.data.json_schema.schema, answer)) : answer;
}

function picturesIn(value: unknown): Buffer[] {
	if (Array.isArray(value)) return value.flatMap(picturesIn);
	if (!isRecord(value)) return [];
	const { data, url } = value;
	const encoded = data ?? (typeof url === 'string' ? url.split(';base64,')[1] : undefined);
	if (typeof encoded === 'string') return [Buffer.from(encoded, 'base64')];
	return Object.values(value).flatMap(picturesIn);
}

/** Makes a value that fits a JSON schema. Strings are the answer. */
function valueFor(schema: unknown, answer: string): unknown {
	const { type, properties, items, enum: choices } = isRecord(schema) ? schema : {};
	if (Array.isArray(choices)) return choices[0] as unknown;
	if (type === 'array') return [valueFor(items, answer)];
	if (type === 'number' || type === 'integer') return 7;
	if (type === 'boolean') return true;
	if (!isRecord(properties)) return type === 'object' ? {} : answer;
	const members = Object.entries(properties).map(([name, member]) => [
		name,
		valueFor(member, answer),
	]);
	return Object.fromEntries(members) as unknown;
}
