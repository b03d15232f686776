/** Members of the items of any node. */
import type { IDataObject } from 'n8n-workflow';

/** Fields of any result or unfinished request, besides its words (`text`, `data`, `outputs`). */
export const RESULT_FIELDS = [
	...(['url', 'urls', 'last_frame_url', 'output', 'request_id', 'status', 'submitted_at'] as const),
	...(['poll_url', 'status_url', 'response_url', 'model', 'workflow'] as const),
	...(['cost', 'remaining_credits', 'seed', 'usage'] as const),
];
export type ResultFields = Partial<Record<(typeof RESULT_FIELDS)[number], unknown>>;

export function dropUndefined(members: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(members).filter(([, value]) => value !== undefined),
	) as IDataObject;
}

/** Returns the body with `error` as `error_message`, because n8n would take an item with a top-level `error` for a failed one (docs/n8n.md N130). */
export function renameError(body: Record<string, unknown>): IDataObject {
	if (!Object.hasOwn(body, 'error')) return body as IDataObject;
	const { error, ...rest } = body;
	if (error === undefined || error === null) return rest as IDataObject;
	return { ...rest, error_message: rest.error_message ?? error } as IDataObject;
}

/** Returns `url`, the first one, and `urls`, also if there is only one; neither without a file. */
export function urlFields(urls: string[]): { url?: string; urls?: string[] } {
	return { url: urls[0], urls: urls.length > 0 ? urls : undefined };
}
