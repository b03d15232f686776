import type { IDataObject } from 'n8n-workflow';

import type { RunResult } from '../helpers/runNode';

/** A failed item as the node tells it. */
export interface Failure {
	message: string;
	description: string;
	item?: number;
	request_id?: string;
	status?: string;
}

/** The failed items of an execution, however they were told. */
export function failuresOf({ items, errorItems, error }: RunResult): Failure[] {
	const told = [...items, ...errorItems].flatMap(({ json, pairedItem }) =>
		isFailure(json)
			? [{ ...(json.error as unknown as Failure), item: (pairedItem as { item: number }).item }]
			: [],
	);
	const listed = error?.context?.failedItems as Failure[] | undefined;
	return [
		...told,
		...(listed ??
			(error ? [{ message: error.message, description: error.description ?? '' }] : [])),
	];
}

/** What the error of an execution says, its context included. */
export function textsOf({ error }: Pick<RunResult, 'error'>): unknown {
	return error && [error.message, error.description, error.context];
}

export function isFailure(json: IDataObject): boolean {
	return typeof json.error === 'object' && json.error !== null;
}
