/** Every value of a result is in the item. */
import * as fc from 'fast-check';

import { readResult } from '../../nodes/shared/output/readResult';
import { resultOfRequest } from '../../nodes/shared/output/result';
import { membersBesideOutput } from '../../nodes/shared/service/responses';
import { isObject } from '../../nodes/shared/service/schemas';

const URLS = ['https://x.example/a.png', 'https://x.example/b.mp4', 'https://x.example/page'];
const text = fc.oneof(
	fc.constantFrom(...URLS),
	fc.string(),
	fc.constantFrom('a', 'b c', '{"a": "z"}'),
);
const names = fc.constantFrom(
	...['output', 'images', 'image', 'video', 'audio', 'url', 'uri', 'description', 'transcript'],
	...['mask', 'scores', 'data', 'b64_json', 'last_frame_url', 'text', 'content', 'parts'],
	...['keyname', 'value', 'citations'],
);
const { value: json } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		text,
		fc.integer(),
		fc.boolean(),
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(names, tie('value'), { maxKeys: 4 }),
	),
}));
const members = fc.dictionary(names, json, { maxKeys: 2 });
/** A language model's response, with anything around its text. */
const chat = fc
	.tuple(members, members, members, text, fc.array(json, { maxLength: 1 }))
	.map(([response, choice, message, content, choices]) => ({
		...response,
		choices: [{ ...choice, message: { ...message, content } }, ...choices],
	}));
const result = fc.oneof(
	fc.dictionary(names, json, { maxKeys: 5 }),
	chat,
	fc.tuple(chat, members).map(([output, others]) => ({ ...others, output })),
);

/** Returns the strings, numbers and booleans in a value, as strings; no blank ones. */
function leavesOf(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(leavesOf);
	if (isObject(value)) return Object.values(value).flatMap(leavesOf);
	const leaf = String(value ?? '').trim();
	return leaf === '' ? [] : [leaf];
}

/** Whether a value counts where other values only describe the call: a text of several words, or a URL. */
const isSaid = (leaf: string) => /\s|^https?:/.test(leaf);

test.each(['workflow', 'model', 'unknown'] as const)('every value is in the item (%s)', (maker) => {
	fc.assert(
		fc.property(result, (body) => {
			const { fields, media } = readResult(resultOfRequest(body), {
				maker,
				makes: undefined,
				isTranscript: false,
			});
			// The names of a workflow's outputs become keys.
			const shown = new Set([
				...leavesOf([fields, media]),
				...Object.keys(fields.outputs ?? {}).map((name) => name.trim()),
			]);
			const { output } = body as Record<string, unknown>;
			const others = membersBesideOutput(body);
			const parsed = output === '{"a": "z"}' ? 'z' : output;
			const besideOutput = (output ?? null) === null ? [] : leavesOf(others);
			const main = besideOutput.length > 0 ? leavesOf(parsed) : leavesOf([parsed, others]);
			const paid = fields.text === undefined ? main : main.filter(isSaid);
			const expected = [...paid, ...besideOutput.filter(isSaid)];
			expect(expected.filter((leaf) => !shown.has(leaf))).toEqual([]);
		}),
		{ numRuns: 3_000, seed: 1 },
	);
});
