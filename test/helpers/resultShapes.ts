/** Random results of every shape, and which of their URLs are files by the rules of CONTRACT.md. */
import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../nodes/shared/service/schemas';
import {
	base64Of,
	isListedWay,
	isWordsWay,
	isWorkflowWay,
	MARK,
	PICTURE_START,
	type Way,
} from './arrivals';

/**
 * What stands for a value in a random result. `paid` and `form`: a text that was paid for, or that only describes a response. `picture`: base64. The
 * others are URLs: with the extension of a file (`named`), without one (`page`), of a file that the service declares by the name of its member or by
 * `content_type` (`declared`), or by the type of a workflow's output (`typed`).
 */
const TAGS = ['paid', 'form', 'picture', 'named', 'page', 'declared', 'typed'] as const;
type Tag = (typeof TAGS)[number];

const [paid, , picture, named, page, declared, typed] = TAGS.map((tag) => fc.constant(`#${tag}`));
const NAMES = fc.constantFrom('mask', 'scores', 'note', 'text', 'transcript');
/** Members that declare files by their names. */
const MEDIA_NAMES = ['images', 'video', 'last_frame_url'];

/** An object that declares a file by its type, with a value beside what describes the file. */
const typedFile = fc.record(
	{ url: declared, content_type: fc.constant('image/png'), width: paid },
	{ requiredKeys: ['url', 'content_type'] },
);
const media = fc.record(
	{
		images: fc.array(fc.oneof(typedFile, fc.record({ b64_json: picture }), declared), {
			minLength: 1,
			maxLength: 2,
		}),
		video: fc.oneof(declared, fc.record({ uri: declared, size: paid }), picture),
		last_frame_url: declared,
	},
	{ requiredKeys: [] },
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		...[paid, named, page, fc.boolean(), typedFile],
		fc.array(fc.oneof(tie('value'), picture), { maxLength: 3 }),
		fc.dictionary(NAMES, tie('value'), { maxKeys: 3 }),
		merged(media, fc.dictionary(NAMES, tie('value'), { maxKeys: 1 })),
	),
}));
const others = fc.dictionary(NAMES, value, { maxKeys: 2 });
const members = fc.oneof(others, merged(media, others));

const written = fc.oneof(paid, named, page);
/** Responses of language models, in the formats of three providers. */
const chat = fc
	.record({
		text: written,
		reason: fc.constantFrom('stop', 'length'),
		more: fc.record({ citations: fc.array(written), reasoning: value }, { requiredKeys: [] }),
		provider: fc.constantFrom('openAi', 'anthropic', 'gemini'),
	})
	.map(({ text, reason, more, provider }) => {
		if (provider === 'openAi') {
			const message = { content: text, ...more };
			return { id: '#form', choices: [{ message, finish_reason: reason }] };
		}
		if (provider === 'anthropic')
			return { id: '#form', content: [{ type: 'text', text }], stop_reason: reason, ...more };
		const parts = [{ text }, { inlineData: { data: '#picture' } }];
		return { candidates: [{ content: { parts, role: '#form' }, finishReason: reason }], ...more };
	});

const outputValue = fc.oneof(
	value,
	fc.record({ data: typed, type: fc.constant('image') }),
	fc.record({ data: page, type: fc.constant('text') }),
);
const keyname = fc.constantFrom('a', 'b');
const namedOutputs = fc.oneof(
	{ weight: 2, arbitrary: listOf(fc.record({ keyname, value: outputValue })) },
	listOf(fc.oneof(fc.record({ keyname, value: outputValue, more: paid }), paid)),
);

/** A random result. Values of its members begin with `#` and the name of a tag. */
export interface Shape {
	kind: 'output' | 'members' | 'chat' | 'namedOutputs';
	body: Record<string, unknown>;
	/** Whether the output is JSON text. */
	isText: boolean;
}

export const shapes: fc.Arbitrary<Shape> = fc
	.oneof(
		shapeOf('output', withOutput(value)),
		shapeOf('members', members),
		shapeOf('chat', fc.oneof(withOutput(chat), chat)),
		shapeOf('namedOutputs', withOutput(namedOutputs)),
	)
	.map((shape) => ({ ...shape, isText: shape.isText && 'output' in shape.body }))
	// A response without an output isn't a result.
	.filter(({ body }) => Object.keys(body).length > 0);

function shapeOf(kind: Shape['kind'], body: fc.Arbitrary<Record<string, unknown>>) {
	return fc.record({ kind: fc.constant(kind), body, isText: fc.boolean() });
}

function withOutput(output: fc.Arbitrary<unknown>) {
	return merged(fc.record({ output }), fc.oneof(fc.constant({}), members));
}

function merged(...parts: Array<fc.Arbitrary<object>>): fc.Arbitrary<Record<string, unknown>> {
	return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Record<string, unknown>);
}

function listOf(entry: fc.Arbitrary<unknown>) {
	return fc.array(entry, { minLength: 1, maxLength: 3 });
}

/** Replaces each tag by a value of its own, from which `textsOf` recognizes the tag. */
export function filled(
	{ body, ...shape }: Shape,
	urlOf: (tag: string, at: number) => string,
): Shape {
	let count = 0;
	const text = JSON.stringify(body).replace(/#(\w+)/g, (_all, tag: string) => {
		count++;
		if (tag === 'picture') return base64Of(count);
		return tag === 'paid' || tag === 'form' ? `${tag} ${count}` : urlOf(tag, count);
	});
	return { ...shape, body: JSON.parse(text) as Shape['body'] };
}

/** Returns the texts with one of these tags in a value, in order. */
export function textsOf(value: unknown, ...tags: Tag[]): string[] {
	if (typeof value === 'string') return tags.some((tag) => tag === tagOf(value)) ? [value] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap((member) => textsOf(member, ...tags));
}

function tagOf(text: string): Tag | undefined {
	if (text.startsWith(PICTURE_START)) return 'picture';
	return TAGS.find((tag) => new RegExp(`\\b${tag} ?\\d`).test(text));
}

/** Returns the response that has the shape. */
export function responseOf({ body, isText }: Shape): IDataObject {
	const { output } = body;
	const isJsonText = isText && typeof output === 'object';
	return { ...body, ...(isJsonText && { output: JSON.stringify(output) }) } as IDataObject;
}

/** Returns the output item with Simplify off: the response, without the bytes of pictures. */
export function wholeOf(shape: Shape): IDataObject {
	if (picturesIn(shape).length === 0) return responseOf(shape);
	const text = JSON.stringify(shape.body).replace(
		new RegExp(`"${PICTURE_START}[^"]*"`, 'g'),
		JSON.stringify(MARK),
	);
	return JSON.parse(text) as IDataObject;
}

/** Returns the bytes of the pictures in a result, in order. */
export function picturesIn({ body }: Shape): Buffer[] {
	return textsOf(body, 'picture').map((text) => Buffer.from(text, 'base64'));
}

/** Returns the URLs of the files in a result, in any order. */
export function fileUrlsIn(shape: Shape, way: Way): string[] {
	const { output, ...beside } = shape.body;
	const declaredBeside = MEDIA_NAMES.flatMap((name) => textsOf(beside[name], 'declared'));
	const isSearched = output !== undefined || declaredBeside.length + picturesIn(shape).length === 0;
	if (!isSearched) return declaredBeside;
	return [...declaredBeside, ...textsOf(output ?? beside, ...tagsOfFiles(shape, way))];
}

/** Returns the tags of the URLs that are files, in what a request made. */
function tagsOfFiles({ kind, body, isText }: Shape, way: Way): Tag[] {
	const { output = body } = body;
	if (isWorkflowWay(way)) {
		if (kind === 'namedOutputs' && hasName(output)) return ['named', 'typed'];
		return isObject(output) || isText ? ['named'] : ['named', 'declared'];
	}
	if (kind === 'chat' || isWordsWay(way)) return [];
	if (isText && way !== 'listedImage') return [];
	const isGuess = isListedWay(way) && kind === 'namedOutputs' && isNamedOutputsOnly(output);
	return isText || isGuess || typeof output === 'string' ? ['named'] : ['named', 'declared'];
}

function hasName(output: unknown): boolean {
	return Array.isArray(output) && output.some((entry) => isObject(entry) && 'keyname' in entry);
}

function isNamedOutputsOnly(output: unknown): boolean {
	return (
		Array.isArray(output) &&
		output.every((entry) => isObject(entry) && 'keyname' in entry && !('more' in entry))
	);
}
