/** Members of the items of any node. */
import type { IDataObject } from 'n8n-workflow';

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
