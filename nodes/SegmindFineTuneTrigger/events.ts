/** Fine-tune events and the order in which a job goes through them (docs/service.md, Webhooks). */

/** States of a job in order; those of one place mean the same step under another name. */
const PLACES: Readonly<Record<string, number>> = {
	REQUESTED: 0,
	DATA_PROCESSING: 1,
	TRAINING_INITIATED: 2,
	TRAINING_COMPLETED: 3,
	INFERENCE_QUEUED: 4,
	DEPLOYING: 4,
	AVAILABLE: 5,
};

/** States that lie beside the order; a delivery that names one of them is not about another event. */
const BESIDE = ['FAILED', 'ERROR', 'CANCELLED', 'CANCELED', 'QUEUED', 'RETRIED', 'PROCESSING'];

export const KNOWN_EVENTS: ReadonlySet<string> = new Set([...Object.keys(PLACES), ...BESIDE]);

/** Of several names the one that lies furthest in the order; of those without a place the first. */
export function furthest(names: readonly string[]): string | undefined {
	const placed = names.filter((name) => Object.hasOwn(PLACES, canonical(name)));
	return (
		placed.sort((one, other) => PLACES[canonical(other)] - PLACES[canonical(one)])[0] ?? names[0]
	);
}

/** One spelling of an event: "training.completed" and "Training Completed" are TRAINING_COMPLETED. */
export function canonical(word: string): string {
	return word
		.trim()
		.toUpperCase()
		.replace(/[\s.-]+/g, '_');
}

/** Whether a job of this status has seen the event: the status equals it, or lies after it. Names without a place must be equal. */
export function hasHappened(event: string, status: string): boolean {
	const [wanted, reached] = [canonical(event), canonical(status)];
	if (wanted === reached) return true;
	if (!Object.hasOwn(PLACES, wanted) || !Object.hasOwn(PLACES, reached)) return false;
	return PLACES[reached] >= PLACES[wanted];
}

/** The chosen events by their canonical spelling, with the name that the user gave them. Takes whatever an expression may give. */
export function chosenEvents(events: unknown, others: unknown): Map<string, string> {
	return new Map(
		[...namesIn(events), ...namesIn(others)].map((name) => [canonical(name), name.trim()]),
	);
}

function namesIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(namesIn);
	return typeof value === 'string' ? value.split(',').filter((name) => name.trim() !== '') : [];
}
