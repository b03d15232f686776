import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { startEmulator } from '../emulator';
import { builtCredentials } from '../base/builtNodes';

/** The service that the demo uses. */
export interface Service {
	isReal: boolean;
	/** The values of the credential Segmind API for this service. */
	credential(): ICredentialDataDecryptedObject;
	close(): Promise<void>;
}

/** Returns Segmind itself, at the default addresses of the credential. */
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

/** Factors for the durations of a batch's requests, because the requests of a real batch don't end all at once. */
const PACES = [1, 0.7, 1.5, 0.9, 1.8, 1.2];

/** Starts the emulator. @throws the system's error if a port is taken, which `runCommand` explains */
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
