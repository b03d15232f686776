/** Segmind Account against the emulator, for whole test files. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import type { RunOptions } from './runNode';
import { useVirtualEngine } from './virtualEngine';

export function useAccount() {
	let forwardedMs = 0;
	const engine = useVirtualEngine({ clock: () => Date.now() + forwardedMs });
	const { emulator } = engine;
	beforeEach(() => {
		forwardedMs = 0;
	});
	const accountCalls = () => emulator.callsOf('account');
	const run = async (
		resource: string,
		operation: string,
		parameters: INodeParameters = {},
		more: Partial<RunOptions> = {},
	) =>
		await engine.runNode({
			node: 'segmindAccount',
			parameters: { resource, operation, ...parameters },
			...more,
		});
	return {
		...engine,
		accountCalls,
		run,
		/** Calls to a path below /api/auth/. */
		callsTo: (path: string) => accountCalls().filter((call) => call.path === `/api/auth/${path}`),
		injectFault: (path: string, action: FaultAction, times: number | 'always' = 1) =>
			emulator.fault({ on: { path: `/auth/${path}` }, times, do: action }),
		/** Moves the service's clock forward, but not this process's. */
		forwardService: (ms: number) => void (forwardedMs += ms),
		/** Makes a first call. Returns the session credential after it. */
		signIn: async (): Promise<IDataObject> => (await run('session', 'getProfile')).session,
		/** Parameters that rename the account's key. */
		renameParams: () => ({ apiKey: emulator.key, name: 'x' }),
	};
}
