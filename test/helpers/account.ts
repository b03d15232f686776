/** Segmind Account against the emulator, for whole test files. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import type { RunOptions } from './runNode';
import { useVirtualEngine } from './virtualEngine';

export function useAccount() {
	let forwarded = 0;
	const engine = useVirtualEngine({ clock: () => Date.now() + forwarded });
	const { emulator } = engine;
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
		to: (path: string) => accountCalls().filter((call) => call.path === `/api/auth/${path}`),
		answering: (path: string, action: FaultAction, times: number | 'always' = 1) =>
			emulator.fault({ on: { path: `/auth/${path}` }, times, do: action }),
		/** The service's clock goes on without this process's. */
		forward: (ms: number) => void (forwarded += ms),
		/** The session credential after a first call. */
		signedIn: async (): Promise<IDataObject> => (await run('session', 'getProfile')).session,
		/** Parameters that rename the account's key. */
		renaming: () => ({ apiKey: emulator.key, name: 'x' }),
	};
}
