import type { Call, CallPattern, FaultAction, FaultHandle, FaultSpec, FaultTarget } from './types';

export interface Faults {
	add(spec: FaultSpec): FaultHandle;
	/** The action for this call, if a fault is due; it counts as a hit. */
	next(call: Call): FaultAction | undefined;
	clear(): void;
}

interface Fault {
	spec: FaultSpec;
	seen: number;
	hits: number;
}

export function createFaults(): Faults {
	let faults: Fault[] = [];
	return {
		add(spec) {
			const fault: Fault = { spec, seen: 0, hits: 0 };
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
		next(call) {
			for (const fault of faults) {
				const { on, after = 0, times = 1, do: action } = fault.spec;
				const left = times === 'always' || fault.hits < times;
				if (!left || !matches(on, call)) continue;
				fault.seen += 1;
				if (fault.seen <= after) continue;
				fault.hits += 1;
				call.fault = describe(action);
				return action;
			}
			return undefined;
		},
		clear() {
			faults = [];
		},
	};
}

function matches(target: FaultTarget, call: Call): boolean {
	if (typeof target === 'function') return target(call);
	if (typeof target === 'string') return call.kind === target;
	if (Array.isArray(target)) return target.includes(call.kind);
	return matchesPattern(target, call);
}

function matchesPattern({ kind, origin, method, path }: CallPattern, call: Call): boolean {
	if (kind !== undefined && ![kind].flat().includes(call.kind)) return false;
	if (origin !== undefined && origin !== call.origin) return false;
	if (method !== undefined && method.toUpperCase() !== call.method) return false;
	if (path === undefined) return true;
	return typeof path === 'string' ? call.path.includes(path) : path.test(call.path);
}

function describe(action: FaultAction): string {
	if (typeof action === 'string') return action;
	if ('redirect' in action) return `redirect to ${action.redirect}`;
	if ('status' in action) return `status ${action.status}`;
	if ('delayMs' in action) return `delay ${action.delayMs} ms`;
	if ('truncate' in action) return `truncate at ${action.truncate}`;
	if ('stall' in action) return `stall at ${action.stall}`;
	if ('trickleMs' in action) return `trickle, ${action.trickleMs} ms between parts`;
	return 'body replaced';
}
