import type {
	Call,
	CallPattern,
	FaultAction,
	FaultHandle,
	FaultSpec,
	FaultTarget,
	JobState,
} from './types';

export interface Faults {
	add(spec: FaultSpec): FaultHandle;
	/** The action for this call, whose body has been read, if a fault is due; it counts as a hit. */
	next(call: Call): AnsweringAction | undefined;
	/** The same before the body is read. */
	nextInBody(call: Call): BodyAction | undefined;
	clear(): void;
}

/** Faults that strike while a body arrives. */
export type BodyAction = Extract<FaultAction, { dropInBody: number } | { stopReading: number }>;
export type AnsweringAction = Exclude<FaultAction, BodyAction>;

const isBodyAction = (action: FaultAction): action is BodyAction =>
	typeof action === 'object' && ('dropInBody' in action || 'stopReading' in action);
const isAnsweringAction = (action: FaultAction): action is AnsweringAction => !isBodyAction(action);

interface Count {
	seen: number;
	hits: number;
}

interface Fault {
	spec: FaultSpec;
	/** Under one key, or under the id of each request. */
	counts: Map<string, Count>;
	hits: number;
}

/** `stateOf` gives the state of a request by now, undefined for an unknown one. */
export function createFaults(stateOf: (requestId: string) => JobState | undefined): Faults {
	let faults: Fault[] = [];
	return {
		add(spec) {
			const fault: Fault = { spec, counts: new Map(), hits: 0 };
			faults.push(fault);
			return {
				get hits() {
					return fault.hits;
				},
				remove() {
					faults = faults.filter((other) => other !== fault);
				},
			};
		},
		next: (call) => due(call, isAnsweringAction),
		nextInBody: (call) => due(call, isBodyAction),
		clear() {
			faults = [];
		},
	};

	function due<A extends FaultAction>(
		call: Call,
		isOfKind: (action: FaultAction) => action is A,
	): A | undefined {
		for (const fault of faults) {
			const { on, after = 0, times = 1, do: action } = fault.spec;
			if (!isOfKind(action)) continue;
			const count = countFor(fault, call);
			const left = times === 'always' || count.hits < times;
			if (!left || !matches(on, call, stateOf)) continue;
			count.seen += 1;
			if (count.seen <= after) continue;
			count.hits += 1;
			fault.hits += 1;
			call.fault = describe(action);
			return action;
		}
		return undefined;
	}
}

function countFor({ spec, counts }: Fault, call: Call): Count {
	const key = spec.perRequest ? (call.requestId ?? '') : '';
	const count = counts.get(key) ?? { seen: 0, hits: 0 };
	counts.set(key, count);
	return count;
}

type StateOf = (requestId: string) => JobState | undefined;

function matches(target: FaultTarget, call: Call, stateOf: StateOf): boolean {
	if (typeof target === 'function') return target(call);
	if (typeof target === 'string') return call.kind === target;
	if (Array.isArray(target)) return target.includes(call.kind);
	return matchesPattern(target, call, stateOf);
}

function matchesPattern(
	{ kind, origin, method, path, state }: CallPattern,
	call: Call,
	stateOf: StateOf,
): boolean {
	if (kind !== undefined && ![kind].flat().includes(call.kind)) return false;
	if (origin !== undefined && origin !== call.origin) return false;
	if (method !== undefined && method.toUpperCase() !== call.method) return false;
	if (state !== undefined) {
		const found = call.requestId === undefined ? undefined : stateOf(call.requestId);
		if (found === undefined || ![state].flat().includes(found)) return false;
	}
	if (path === undefined) return true;
	return typeof path === 'string' ? call.path.includes(path) : path.test(call.path);
}

function describe(action: FaultAction): string {
	if (typeof action === 'string') return action;
	if ('redirect' in action) return `redirect to ${action.redirect}`;
	if ('status' in action) return `status ${action.status}${action.accept ? ', accepted' : ''}`;
	if ('dropInBody' in action) return `drop after ${action.dropInBody} bytes of the body`;
	if ('stopReading' in action) return `stop reading after ${action.stopReading} bytes`;
	if ('dropAfterMs' in action) return `drop after ${action.dropAfterMs} ms`;
	if ('delayMs' in action) return `delay ${action.delayMs} ms`;
	if ('truncate' in action) return `truncate at ${action.truncate}`;
	if ('stall' in action) return `stall at ${action.stall}`;
	if ('trickleMs' in action) return `trickle, ${action.trickleMs} ms between parts`;
	if ('dripMs' in action) return `drip, ${action.dripMs} ms between bytes`;
	if ('gzipBomb' in action) return `gzip bomb of ${action.gzipBomb} bytes`;
	if ('rewrite' in action) return `rewritten: ${JSON.stringify(action.rewrite)}`;
	return 'body replaced';
}
