import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { startEmulator } from '../emulator';
import { builtCredentials } from '../base/builtNodes';

/** What the demo runs against. */
export interface Service {
	isReal: boolean;
	/** Values of the credential Segmind API for it. */
	credential(): ICredentialDataDecryptedObject;
	close(): Promise<void>;
}

/** Segmind itself, by the addresses the credential comes with. */
export function realService(apiKey: string): Service {
	return {
		isReal: true,
		credential() {
			const type = builtCredentials().find(({ name }) => name === 'segmindApi');
			const defaults = type?.properties.map(({ name, default: value }) => [name, value]) ?? [];
			return { ...Object.fromEntries(defaults), apiKey };
		},
		close: async () => {},
	};
}

/** How much longer or shorter each request of a batch takes than configured, because a real batch never ends all at once. */
const PACES = [1, 0.7, 1.5, 0.9, 1.8, 1.2];

/** The emulator on this computer. @throws the system's error when a port is taken, see base/command.ts */
export async function emulatedService(port: number, jobSeconds: number): Promise<Service> {
	const emulator = await startEmulator({
		port,
		media: 'real',
		queueMs: (_model, _input, index) => 100 * jobSeconds * PACES[index % PACES.length],
		jobMs: (_model, _input, index) => 900 * jobSeconds * PACES[index % PACES.length],
	});
	return {
		isReal: false,
		credential: () => emulator.credentials,
		close: async () => await emulator.close(),
	};
}
