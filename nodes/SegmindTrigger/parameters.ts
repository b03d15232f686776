/** Reads parameters that several watchers use. */
import type { IPollFunctions } from 'n8n-workflow';

/** Reads the chosen statuses, in capitals; [] stands for all. An expression may return them as one string with commas. */
export function readStatuses(context: IPollFunctions, name: string): string[] {
	const value: unknown = context.getNodeParameter(name, []);
	return String(value)
		.toUpperCase()
		.split(/[\s,]+/)
		.filter(Boolean);
}

/** Whether a status is chosen. An empty choice stands for all. */
export const isChosen = (chosen: readonly string[], status: string) =>
	chosen.length === 0 || chosen.includes(status);
