import { faultTable, inBody, type FaultAction, type FaultName, type Struck } from './faultTable';
import type { Call, CallKind, JobState, OriginName } from './types';

export type { FaultAction };

interface Pattern {
	kind?: CallKind | CallKind[];
	origin?: OriginName;
	method?: string;
	/** Part of the path, or an expression. */
	path?: string | RegExp;
	/** State of the call's request when the call arrives. Calls that refer to no request don't match. */
	state?: JobState | JobState[];
}

export type FaultTarget = CallKind | CallKind[] | Pattern | ((call: Call) => boolean);

export interface FaultSpec {
	on: FaultTarget;
	/** How many calls it hits. Default 1; Infinity or `always` for all. */
	times?: number | 'always';
	/** Matches let through first. Default 0. */
	after?: number;
	/** Count `times` and `after` per request instead of over all calls. Default false. */
	perRequest?: boolean;
	do: FaultAction;
	/** What the ledger calls it. Default: the name of what it does. */
	called?: string;
}

interface Fault {
	spec: FaultSpec;
	name: FaultName;
	/** Under one key, or under the id of each request. */
	counts: Map<string, { seen: number; hits: number }>;
	hits: number;
}

type When = 'inBody' | 'read';
type StateOf = (requestId: string) => JobState | undefined;

/** `stateOf` returns the current state of a request, undefined for an unknown one. */
export function createFaults(stateOf: StateOf) {
	let faults: Fault[] = [];

	function due(call: Call, when: When): Fault | undefined {
		for (const fault of faults) {
			const { on, after = 0, times = 1 } = fault.spec;
			if (inBody.has(fault.name) !== (when === 'inBody')) continue;
			const counted = countFor(fault, call);
			const left = times === 'always' || counted.hits < times;
			if (!left || !matches(on, call, stateOf)) continue;
			counted.seen += 1;
			if (counted.seen <= after) continue;
			counted.hits += 1;
			fault.hits += 1;
			return fault;
		}
		return undefined;
	}

	return {
		add(spec: FaultSpec) {
			const fault: Fault = { spec, name: nameOf(spec.do), counts: new Map(), hits: 0 };
			faults.push(fault);
			return {
				/** Calls hit so far. */
				get hits() {
					return fault.hits;
				},
				remove(): void {
					faults = faults.filter((other) => other !== fault);
				},
			};
		},
		/**
		 * Applies the fault that is due for this call, before or after its body is read. Returns whether the call continues to its route: as usual
		 * without a fault, or with its response intercepted if the fault lets the call be served first.
		 */
		strike(struck: Struck, when: When): boolean | Promise<boolean> {
			const fault = due(struck.call, when);
			if (!fault) return true;
			struck.call.fault = fault.spec.called ?? fault.name;
			return faultTable[fault.name](struck, fault.spec.do as never);
		},
		clear(): void {
			faults = [];
		},
	};
}

/** By the member that has its name; the table's order decides between two. */
function nameOf(ordered: FaultAction): FaultName {
	if (typeof ordered === 'string') return ordered;
	return (Object.keys(faultTable) as FaultName[]).find((name) => name in ordered)!;
}

function countFor({ spec, counts }: Fault, call: Call): { seen: number; hits: number } {
	const key = spec.perRequest ? (call.requestId ?? '') : '';
	const counted = counts.get(key) ?? { seen: 0, hits: 0 };
	counts.set(key, counted);
	return counted;
}

function matches(target: FaultTarget, call: Call, stateOf: StateOf): boolean {
	if (typeof target === 'function') return target(call);
	if (typeof target === 'string') return call.kind === target;
	if (Array.isArray(target)) return target.includes(call.kind);
	return matchesPattern(target, call, stateOf);
}

function matchesPattern(
	{ kind: kinds, origin, method, path, state: states }: Pattern,
	call: Call,
	stateOf: StateOf,
): boolean {
	if (kinds !== undefined && ![kinds].flat().includes(call.kind)) return false;
	if (origin !== undefined && origin !== call.origin) return false;
	if (method !== undefined && method.toUpperCase() !== call.method) return false;
	if (states !== undefined) {
		const found = call.requestId === undefined ? undefined : stateOf(call.requestId);
		if (found === undefined || ![states].flat().includes(found)) return false;
	}
	if (path === undefined) return true;
	return typeof path === 'string' ? call.path.includes(path) : path.test(call.path);
}
