import type { Call } from '../../dev/emulator';

/** A call that makes a request when it is accepted. */
export function isCreating({ kind }: Pick<Call, 'kind'>): boolean {
	return kind === 'submit' || kind === 'v1';
}

/** A call that asks about requests. */
export function isAsking({ kind }: Pick<Call, 'kind'>): boolean {
	return ['status', 'result', 'poll', 'history'].includes(kind);
}
