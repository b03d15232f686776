/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import type { ServerResponse } from 'node:http';

/** Creates the set of calls whose response isn't complete yet. */
export function createOpenCalls() {
	const open = new Set<ServerResponse>();
	let waiters: Array<() => void> = [];
	return {
		add(response: ServerResponse): void {
			open.add(response);
			response.once('close', () => {
				open.delete(response);
				if (open.size > 0) return;
				for (const resolve of waiters) resolve();
				waiters = [];
			});
		},
		/** Cuts the connections of the open calls. */
		drop(): void {
			// Skip completely written responses, which only wait for their close event: their connection may be in use again.
			for (const response of open) if (!response.writableEnded) response.req.socket.destroy();
		},
		/** Resolves when no call is open. */
		async whenEmpty(): Promise<void> {
			if (open.size > 0) await new Promise<void>((resolve) => waiters.push(resolve));
		},
	};
}
