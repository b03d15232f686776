import { z } from 'zod';

/** Tolerant shapes of the wire: unknown fields pass, optional ones may be missing or null, since shapes are partly unpublished. */

const address = z.string().trim().min(1).optional().catch(undefined);
/** A number, also as text. Objects are kept from `coerce`, which would throw on some. */
const amount = z
	.union([z.number(), z.string().trim().min(1)])
	.nullable()
	.pipe(z.coerce.number().finite());
/** The same, but for null, which is no number of anything. */
const known = z.union([z.number(), z.string().trim().min(1)]).pipe(z.coerce.number().finite());
/** Anything but null, as 0. */
const unread = z.custom((value) => value !== null).transform(() => 0);
const word = z.union([z.string(), z.number()]).transform(String);
/** Longest id taken, characters: it goes into errors and into lines of the log. */
const LONGEST_ID = 200;
const id = word.refine(isRequestId);

/** True for a text that may stand for a request wherever a person reads it; also for an empty one. */
export function isRequestId(text: string): boolean {
	return text.length <= LONGEST_ID && !/[\p{Cc}\p{Surrogate}]/u.test(text);
}

/** Answer of a v2 or workflow submission (docs/service.md S80). */
export const submissionResponse = z
	.object({
		request_id: id.nullish(),
		status: z.string().nullish().catch(undefined),
		poll_url: address,
		status_url: address,
		response_url: address,
	})
	.passthrough();

/** Answer of a status, result or poll call; everything but its being an object is optional. */
export const statusResponse = z
	.object({
		status: z.string().nullish().catch(undefined),
		request_id: word.nullish().catch(undefined),
	})
	.passthrough();
export type StatusResponse = z.infer<typeof statusResponse>;

/** Upload answer: `urls` (specified) or `file_urls` (what the service sends; docs/service.md S170, S172), in request order. */
export const uploadResponse = z
	.object({
		urls: z.array(z.string()).nullish().catch(undefined),
		file_urls: z.array(z.string()).nullish().catch(undefined),
		url: z.string().nullish().catch(undefined),
	})
	.passthrough()
	.transform(({ urls, file_urls, url }) => urls ?? file_urls ?? (url ? [url] : []));

/** Credit balance in USD; may be negative (docs/service.md S43). Null is unknown, not nothing. */
export const creditBalance = z
	.object({ credits: known, 'free-credits': known.or(unread) })
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
 * The list in an answer of unpublished shape: the answer itself, or the first non-empty list of objects among its members or theirs, else the
 * first list that is not empty, else an empty one. Undefined when there is no list at all.
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

/** The same; [] when there is no list. */
export function firstList(value: unknown): unknown[] {
	return listIn(value) ?? [];
}

/** Deepest nesting taken, levels: n8n walks through items, and JSON.stringify through values, with functions that call themselves. */
const DEEPEST = 200;

/** Parses JSON text; undefined when it is not JSON, or is nested so deep that handling it would fail. */
export function parseJson(text: string): unknown {
	try {
		const value = JSON.parse(text) as unknown;
		return isDeeper(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/** True for a value nested more levels deep than `levels`. */
export function isDeeper(value: unknown, levels = DEEPEST): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
