/** Fine-tune events and the order in which a job goes through them (docs/service.md, Webhooks). */

/** Stages of a job in order. Names with the same number mean the same stage. */
const STAGES: Readonly<Record<string, number>> = {
	REQUESTED: 0,
	DATA_PROCESSING: 1,
	TRAINING_INITIATED: 2,
	TRAINING_COMPLETED: 3,
	INFERENCE_QUEUED: 4,
	DEPLOYING: 4,
	AVAILABLE: 5,
};

/** Statuses outside this order. A delivery that names one of them is not about another event. */
const UNORDERED = ['FAILED', 'ERROR', 'CANCELLED', 'CANCELED', 'QUEUED', 'RETRIED', 'PROCESSING'];

export const KNOWN_EVENTS: ReadonlySet<string> = new Set([...Object.keys(STAGES), ...UNORDERED]);

/** The name of the latest stage among several; when none is a stage, the first name. */
export function furthest(names: readonly string[]): string | undefined {
	const stages = names.filter((name) => Object.hasOwn(STAGES, canonical(name)));
	return (
		stages.sort((one, other) => STAGES[canonical(other)] - STAGES[canonical(one)])[0] ?? names[0]
	);
}

/** One spelling of an event: "training.completed" and "Training Completed" are TRAINING_COMPLETED. */
export function canonical(word: string): string {
	return word
		.trim()
		.toUpperCase()
		.replace(/[\s.-]+/g, '_');
}

/** Whether the event has happened to a job of this status: it is the status, or an earlier stage. Names that are no stage must be equal. */
export function hasHappened(event: string, status: string): boolean {
	const [wanted, reached] = [canonical(event), canonical(status)];
	if (wanted === reached) return true;
	if (!Object.hasOwn(STAGES, wanted) || !Object.hasOwn(STAGES, reached)) return false;
	return STAGES[reached] >= STAGES[wanted];
}

/** The chosen events: canonical spelling to the name that the user gave. Takes whatever an expression may give. */
export function chosenEvents(events: unknown, others: unknown): Map<string, string> {
	return new Map(
		[...namesIn(events), ...namesIn(others)].map((name) => [canonical(name), name.trim()]),
	);
}

function namesIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(namesIn);
	return typeof value === 'string' ? value.split(',').filter((name) => name.trim() !== '') : [];
}
