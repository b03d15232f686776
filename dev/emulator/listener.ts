/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

const host = '127.0.0.1';

export type Listener = ReturnType<typeof createListener>;

/** Creates an HTTP server on loopback whose connections can all be ended. */
export function createListener(app: RequestListener) {
	const server = createServer(app);
	// The server's own timeouts must not end slow uploads or calls that get no response.
	server.requestTimeout = 0;
	server.headersTimeout = 0;
	// The client of n8n 1.85 leaves connections open. Virtual time would stand still until they time out in real time.
	server.maxRequestsPerSocket = 1;
	server.on('connection', (socket) => {
		// Faults destroy connections, so these errors are expected.
		socket.on('error', () => {});
	});
	let port = 0;
	return {
		get port() {
			return port;
		},
		/** Listens on this port, by default the one it had before; 0 means any free one. @throws the system's error if the port is taken */
		async listen(requestedPort = port): Promise<void> {
			if (server.listening) return;
			await new Promise<void>((resolve, reject) => {
				server.once('error', reject);
				server.listen(requestedPort, host, () => {
					server.off('error', reject);
					resolve();
				});
			});
			port = (server.address() as AddressInfo).port;
		},
		/** Stops listening and ends every connection. */
		async stop(): Promise<void> {
			if (!server.listening) return;
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			});
		},
	};
}

export function urlOf(listener: Listener): string {
	return `http://${host}:${listener.port}`;
}
