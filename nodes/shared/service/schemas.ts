/** Tolerant schemas of responses, because not all of them are published: unknown fields are allowed, optional ones may be missing or null. */

import { z } from 'zod';

const address = z.string().trim().min(1).optional().catch(undefined);
/** A number, which may be given as a string. Null is rejected. The union keeps objects away from `coerce`, which throws for some of them. */
const amount = z.union([z.number(), z.string().trim().min(1)]).pipe(z.coerce.number().finite());
/** Replaces any value but null by 0: a fallback for values that aren't numbers. */
const anyAsZero = z.custom((value) => value !== null).transform(() => 0);
const idText = z.union([z.string(), z.number()]).transform(String);
/** Longer IDs are rejected, because errors and lines of the log contain them. */
const MAX_ID_CHARS = 200;
const id = idText.refine(isRequestId);

/** Whether a string can be shown as a request ID; true for an empty one. */
export function isRequestId(text: string): boolean {
	return text.length <= MAX_ID_CHARS && !/[\p{Cc}\p{Surrogate}]/u.test(text);
}

/** Response to a v2 or workflow submission (docs/service.md S80). */
export const submissionResponse = z
	.object({
		request_id: id.nullish(),
		status: z.string().nullish().catch(undefined),
		poll_url: address,
		status_url: address,
		response_url: address,
	})
	.passthrough();

/** Response to a status, result or poll call. It's an object whose members are all optional. */
export const statusResponse = z
	.object({
		status: z.string().nullish().catch(undefined),
		request_id: idText.nullish().catch(undefined),
	})
	.passthrough();
export type StatusResponse = z.infer<typeof statusResponse>;

/** Members of a response that describe its request, and aren't a part of its output. */
export const REQUEST_MEMBERS: ReadonlySet<string> = new Set([
	...Object.keys(submissionResponse.shape),
	...['id', 'message', 'msg', 'detail', 'error', 'error_message', 'error_description'],
	...['prompt', 'model', 'workflow', 'seed', 'metrics', 'timings', 'cost', 'remaining_credits'],
	...['infer_time', 'interTime', 'inference_time'],
]);

export const FRAME_MEMBERS = ['last_frame_url', 'first_frame_url'];
/** Members of a result that hold media, in the order of the output (docs/service.md S105 to S111). */
export const MEDIA_MEMBERS = [
	...['images', 'image', 'video', 'videos', 'audio', 'audios'],
	...FRAME_MEMBERS,
];
/** Members of a result that hold a text, also if it's a single word. */
export const TEXT_MEMBERS = ['text', 'content', 'transcript'];
/** Members of a result that hold a text, or the message of a language model (docs/service.md S136 to S138). */
export const MESSAGE_MEMBERS: ReadonlySet<string> = new Set([...TEXT_MEMBERS, 'message']);

/** Response to an upload: `urls` (specified) or `file_urls` (what the service sends; docs/service.md S170), in the order of the request. */
export const uploadResponse = z
	.object({
		urls: z.array(z.string()).nullish().catch(undefined),
		file_urls: z.array(z.string()).nullish().catch(undefined),
	})
	.passthrough()
	.transform(({ urls, file_urls }) => urls ?? file_urls ?? []);

/** Credit balance in USD; may be negative (docs/service.md S42). Null means unknown, not 0. */
export const creditBalance = z
	.object({ credits: amount, 'free-credits': amount.or(anyAsZero) })
	.passthrough();

/** One row of the request history: one row per file (docs/service.md S261, unofficial). */
export const historyRow = z
	.object({
		request_id: id,
		model_name: z.string().nullish().catch(undefined),
		model_status: z.string().nullish().catch(undefined),
		status: z.string().nullish().catch(undefined),
		credits_deduction: amount.nullish().catch(undefined),
		request_body: z.unknown(),
		generation_url: z.unknown(),
		error: z.unknown(),
		created_at: z.unknown(),
	})
	.passthrough();
export type HistoryRow = z.infer<typeof historyRow>;

/** One model of the public list (docs/service.md S282). */
export const listedModel = z
	.object({
		slug: z.string().min(1),
		title: z.string().nullish().catch(undefined),
		name: z.string().nullish().catch(undefined),
		type: z.string().nullish().catch(undefined),
		description: z.string().nullish().catch(undefined),
		is_depreciated: z.unknown(),
	})
	.passthrough();
export type ListedModel = z.infer<typeof listedModel>;

/**
 * Finds the list in a response of unpublished shape: the response itself, or the first non-empty list of objects among its members or theirs, otherwise the
 * first list that isn't empty, otherwise an empty one. Undefined if there is no list.
 */
export function listIn(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (!isObject(value)) return undefined;
	const members = Object.values(value);
	const lists = [
		...members,
		...members.filter(isObject).flatMap((member) => Object.values(member)),
	].filter((member): member is unknown[] => Array.isArray(member));
	return (
		lists.find((list) => list.some(isObject)) ?? lists.find((list) => list.length > 0) ?? lists[0]
	);
}

/** Like `listIn`, but returns [] if there is no list. */
export function listOrEmpty(value: unknown): unknown[] {
	return listIn(value) ?? [];
}

/** Values that are nested deeper are rejected, because n8n and JSON.stringify walk through values by recursion. */
const MAX_DEPTH = 200;

/** Parses JSON; undefined if it's invalid or nested too deep to be processed. */
export function parseJson(text: string): unknown {
	try {
		const value = JSON.parse(text) as unknown;
		return isDeeper(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/**
 * Parses the JSON of something that was paid for: NaN and the infinities, which some programs write, become null, and an integer that JSON would change
 * becomes text. Undefined as in `parseJson`.
 */
export function parseResult(text: string): unknown {
	if (/[:,[]\s*-?\d{16}/.test(text)) return parseJson(withExactNumbers(text));
	const value = parseJson(text);
	const mayHaveNaN = value === undefined && /NaN|Infinity/.test(text);
	return mayHaveNaN ? parseJson(withExactNumbers(text)) : value;
}

/** Replaces numbers outside of strings. Takes linear time: a result may have 500 MB. */
function withExactNumbers(json: string): string {
	const parts: string[] = [];
	for (let at = 0; at < json.length; ) {
		const quoteAt = json.indexOf('"', at);
		const stringAt = quoteAt === -1 ? json.length : quoteAt;
		parts.push(exactNumbers(json.slice(at, stringAt)));
		at = endOfString(json, stringAt);
		parts.push(json.slice(stringAt, at));
	}
	return parts.join('');
}

function exactNumbers(piece: string): string {
	return piece
		.replace(/-?\b(NaN|Infinity)\b/g, 'null')
		.replace(/-?\d[\d.eE+-]*/g, (number) =>
			/^-?\d{16,}$/.test(number) && String(Number(number)) !== number ? `"${number}"` : number,
		);
}

/** Returns the position after the string that begins at a position. */
function endOfString(json: string, stringAt: number): number {
	const special = /[\\"]/g;
	special.lastIndex = stringAt + 1;
	for (;;) {
		const match = special.exec(json);
		if (match === null) return json.length;
		if (match[0] === '"') return special.lastIndex;
		// The escaped character.
		special.lastIndex++;
	}
}

/** Whether a value is nested deeper than `levels`. */
export function isDeeper(value: unknown, levels = MAX_DEPTH): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
