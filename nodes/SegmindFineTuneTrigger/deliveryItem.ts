import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../shared/service/schemas';

const ADDRESSES = ['trained_model_url', 'inference_api_url'];

/** The two addresses that the documented events are about, from the top of a payload or one level down. */
export function addressesIn(payload: Record<string, unknown>): IDataObject {
	const levels = [payload, ...Object.values(payload).filter(isObject)];
	const found: IDataObject = {};
	for (const name of ADDRESSES) {
		const address = levels
			.map((level) => level[name])
			.find((value) => typeof value === 'string' && value !== '');
		if (address !== undefined) found[name] = address as string;
	}
	return found;
}

/** Members that only this node sets, never a payload. */
const OURS = ['confirmed', 'finetune', 'test'];

/**
 * The output item: our members (`own`), then everything the payload brought (CONTRACT.md). With a `job` that Segmind's API described, its
 * members replace those of the same name in the delivery. What is displaced, and addresses that only the delivery names, stand under
 * `payload_…`.
 */
export function itemJson(
	payload: Record<string, unknown>,
	own: IDataObject,
	job?: IDataObject,
): IDataObject {
	const json: IDataObject = { ...own };
	const taken = new Set([...OURS, ...(job ? ADDRESSES : [])]);
	for (const name of Object.keys(payload)) {
		if (job && name !== 'error' && !Object.hasOwn(json, name) && Object.hasOwn(job, name))
			json[name] = job[name];
	}
	const isTaken = (name: string) => Object.hasOwn(json, name) || taken.has(name);
	for (const [name, value] of Object.entries(payload)) {
		const isSaid =
			Object.hasOwn(json, name) && JSON.stringify(json[name]) === JSON.stringify(value);
		if (name === '__proto__' || isSaid) continue;
		// n8n would read a top-level `error` as a failed item (docs/n8n.md N130).
		if (name === 'error' && (value === null || value === undefined)) continue;
		let free = name;
		if (name === 'error' && !Object.hasOwn(payload, 'error_message')) free = 'error_message';
		while (free === 'error' || isTaken(free) || (free !== name && Object.hasOwn(payload, free)))
			free = `payload_${free}`;
		json[free] = value as IDataObject['value'];
	}
	return json;
}
