/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import type { ServerResponse } from 'node:http';

/** The calls without a complete response. */
export function createOpenCalls() {
	const open = new Set<ServerResponse>();
	let waiting: Array<() => void> = [];
	return {
		add(response: ServerResponse): void {
			open.add(response);
			response.once('close', () => {
				open.delete(response);
				if (open.size > 0) return;
				for (const resolve of waiting) resolve();
				waiting = [];
			});
		},
		/** Cuts their connections. */
		drop(): void {
			// A response that is written only waits for its close event; its connection may be in use again.
			for (const response of open) if (!response.writableEnded) response.req.socket.destroy();
		},
		/** Resolves when there is none. */
		async none(): Promise<void> {
			if (open.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
		},
	};
}
