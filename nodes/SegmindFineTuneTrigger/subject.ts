/**
 * Finds which event and job a payload is about. Pure, and linear in its size. The form of payloads isn't published (docs/service.md S362), so members
 * are found by name at any depth.
 */

/** Stages of a job, in order (docs/service.md S360, S363). Names with the same number are the same stage. */
const STAGES: ReadonlyMap<string, number> = new Map([
	['REQUESTED', 0],
	['DATA_PROCESSING', 1],
	['TRAINING_INITIATED', 2],
	['TRAINING_COMPLETED', 3],
	['INFERENCE_QUEUED', 4],
	['DEPLOYING', 4],
	['AVAILABLE', 5],
]);
/** Known events that have no place in the order of stages. */
const UNORDERED = ['FAILED', 'ERROR', 'CANCELLED', 'CANCELED', 'QUEUED', 'RETRIED', 'PROCESSING'];

/** Names of members, the most reliable first. Case, underscores and hyphens don't matter. */
const EVENT_NAMES = ['eventtype', 'event', 'eventname', 'type', 'newstatus', 'status', 'state'];
const JOB_NAMES = ['finetuneid', 'requestid', 'jobid', 'id'];
/** Beginnings of the names of members that describe the earlier state. */
const FORMER_NAMES = /^(old|prev|previous|former|last|from|before)/;
/** Longest name of a member that is compared. */
const MAX_NAME_CHARS = 40;
/** Longest event or ID. */
const MAX_WORD_CHARS = 200;

/** What a payload is about: the event as it was sent, the job, and the two URLs of the documented events. */
interface Subject {
	event?: string;
	jobId?: string;
	addresses: { trained_model_url?: string; inference_api_url?: string };
}

/**
 * Finds the event, the job and the URLs in a payload. A word that is a known event, or one of `chosen` (canonical), takes priority over other words,
 * because `event_type` may name a family of events, and `status` the event itself.
 */
export function subjectOf(
	payload: Record<string, unknown>,
	chosen: ReadonlyMap<string, unknown>,
): Subject {
	const members = membersOf(payload);
	const isNamed = (word: string) => {
		const name = canonicalize(word);
		return chosen.has(name) || STAGES.has(name) || UNORDERED.includes(name);
	};
	const words = valuesOf(members, EVENT_NAMES).filter(isWord);
	const ids = valuesOf(members, JOB_NAMES).map((id) => (typeof id === 'number' ? String(id) : id));
	const trainedModelUrl = valuesOf(members, ['trainedmodelurl']).find(isText);
	const inferenceApiUrl = valuesOf(members, ['inferenceapiurl']).find(isText);
	return {
		event: words.find(isNamed) ?? words[0],
		jobId: ids.find(isWord)?.trim(),
		addresses: { trained_model_url: trainedModelUrl, inference_api_url: inferenceApiUrl },
	};
}

/** Returns the canonical spelling of an event: "training.completed" and "Training Completed" become TRAINING_COMPLETED. */
export function canonicalize(word: string): string {
	return word
		.trim()
		.toUpperCase()
		.replace(/[\s.-]+/g, '_');
}

/** Whether the event has happened to a job with this status: the event is this stage or an earlier one. If either isn't a stage, both must be equal. */
export function hasHappened(event: string, status: string): boolean {
	const wanted = STAGES.get(canonicalize(event));
	const reached = STAGES.get(canonicalize(status));
	if (wanted === undefined || reached === undefined)
		return canonicalize(event) === canonicalize(status);
	return reached >= wanted;
}

/** Returns the chosen events: the user's spelling by canonical spelling. The values may be any results of expressions. */
export function chosenEvents(...values: unknown[]): Map<string, string> {
	return new Map(values.flatMap(namesIn).map((name) => [canonicalize(name), name.trim()]));
}

function namesIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(namesIn);
	return typeof value === 'string' ? value.split(',').filter((name) => name.trim() !== '') : [];
}

type PayloadMember = [name: string, value: unknown];

/** Returns all members at any depth, those nearer to the top first, without the members that describe an earlier state. */
function membersOf(payload: Record<string, unknown>): PayloadMember[] {
	const members: PayloadMember[] = [];
	// The loop also visits the objects that it adds to this list.
	const nested: object[] = [payload];
	for (const value of nested) {
		const isList = Array.isArray(value);
		for (const [name, inner] of Object.entries(value)) {
			const plainName = isList ? '' : normalizeName(name);
			if (FORMER_NAMES.test(plainName)) continue;
			if (plainName !== '') members.push([plainName, inner]);
			if (typeof inner === 'object' && inner !== null) nested.push(inner);
		}
	}
	return members;
}

function normalizeName(name: string): string {
	return name.length > MAX_NAME_CHARS ? '' : name.toLowerCase().replace(/[_-]/g, '');
}

/** Returns the values of the members with these names, in the order of `names`. */
function valuesOf(members: PayloadMember[], names: readonly string[]): unknown[] {
	return names.flatMap((wanted) =>
		members.filter(([name]) => name === wanted).map(([, value]) => value),
	);
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

function isWord(value: unknown): value is string {
	return isText(value) && value.length <= MAX_WORD_CHARS && value.trim() !== '';
}
