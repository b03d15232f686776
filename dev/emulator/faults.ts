import { faultTable, type FaultAction, type FaultName, type FaultyCall } from './faultTable';
import type { Call, CallKind, JobState, OriginName } from './types';

export type { FaultAction };

interface Pattern {
	kind?: CallKind | CallKind[];
	origin?: OriginName;
	method?: string;
	/** Part of the path, or a regular expression. */
	path?: string | RegExp;
	/** The state of the call's request when the call arrives. Calls that refer to no request don't match. */
	state?: JobState | JobState[];
}

export type FaultTarget = CallKind | CallKind[] | Pattern | ((call: Call) => boolean);

export interface FaultSpec {
	on: FaultTarget;
	/** The number of calls that the fault affects. Default 1; Infinity or `always` for all. */
	times?: number | 'always';
	/** The number of matching calls that pass before the first affected one. Default 0. */
	after?: number;
	do: FaultAction;
	/** The fault's name in the record of a call. Default: the name of the action. */
	recordAs?: string;
}

interface Fault {
	spec: FaultSpec;
	name: FaultName;
	/** The number of matching calls, and of affected ones. */
	seen: number;
	hits: number;
}

type StateOf = (requestId: string) => JobState | undefined;

/** Creates the list of faults that a test has added. `stateOf` returns the current state of a request, or undefined for an unknown one. */
export function createFaults(stateOf: StateOf) {
	let faults: Fault[] = [];

	function takeDueFault(call: Call): Fault | undefined {
		for (const fault of faults) {
			const { on, after = 0, times = 1 } = fault.spec;
			const isLeft = times === 'always' || fault.hits < times;
			if (!isLeft || !matches(on, call, stateOf)) continue;
			fault.seen += 1;
			if (fault.seen <= after) continue;
			fault.hits += 1;
			return fault;
		}
		return undefined;
	}

	return {
		add(spec: FaultSpec) {
			const fault: Fault = { spec, name: faultNameOf(spec.do), seen: 0, hits: 0 };
			faults.push(fault);
			return {
				/** The number of calls affected so far. */
				get hits() {
					return fault.hits;
				},
				remove(): void {
					faults = faults.filter((other) => other !== fault);
				},
			};
		},
		/**
		 * Applies the fault that is due for this call. Returns whether the call continues to its route: as usual without a fault, or with its response
		 * intercepted if the fault lets the call be served first.
		 */
		apply(faulty: FaultyCall): boolean | Promise<boolean> {
			const fault = takeDueFault(faulty.call);
			if (!fault) return true;
			faulty.call.fault = fault.spec.recordAs ?? fault.name;
			return faultTable[fault.name](faulty, fault.spec.do as never);
		},
		clear(): void {
			faults = [];
		},
	};
}

/** Returns the fault that an action names. If an object has members for two faults, it names the first one in the table. */
function faultNameOf(action: FaultAction): FaultName {
	if (typeof action === 'string') return action;
	return (Object.keys(faultTable) as FaultName[]).find((name) => name in action)!;
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
