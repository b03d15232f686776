/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const host = '127.0.0.1';

export type Listener = ReturnType<typeof createListener>;

/** An HTTP server on loopback whose sockets can all be destroyed. */
export function createListener(app: RequestListener) {
	const sockets = new Set<Socket>();
	const server = createServer(app);
	// Held calls and slow uploads of tests must not be ended by the server's own limits.
	server.requestTimeout = 0;
	server.headersTimeout = 0;
	// A connection left open would hold virtual time back until it times out in real time; the client of n8n 1.85 leaves them open.
	server.maxRequestsPerSocket = 1;
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
		// A destroyed connection is what faults are for.
		socket.on('error', () => {});
	});
	let port = 0;
	return {
		get port() {
			return port;
		},
		/** Listens on the port it had before, or on the given one; 0 means any. Rejects when the port is taken. */
		async listen(wanted = port): Promise<void> {
			if (server.listening) return;
			await new Promise<void>((resolve, reject) => {
				server.once('error', reject);
				server.listen(wanted, host, () => {
					server.off('error', reject);
					resolve();
				});
			});
			port = (server.address() as AddressInfo).port;
		},
		/** Stops listening and destroys every socket. */
		async stop(): Promise<void> {
			if (!server.listening) return;
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			});
		},
	};
}

export function urlOf(listener: Listener): string {
	return `http://${host}:${listener.port}`;
}
