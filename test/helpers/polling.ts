/** Segmind Trigger against the emulator on virtual time, for whole test files. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { EACH_PROMPT, prompts, submitParams } from './inference';
import { PollHost, type PollOptions } from './triggers';
import { useVirtualEngine } from './virtualEngine';

export function usePolling() {
	/** How far the emulator's clock is ahead of this process's. */
	let shiftMs = 0;
	const engine = useVirtualEngine({ clock: () => Date.now() + shiftMs });
	const { emulator, runNode, inVirtualTime } = engine;
	beforeEach(() => void (shiftMs = 0));
	let hosts = 0;
	const host = (parameters: INodeParameters, more: Partial<PollOptions> = {}): PollHost =>
		new PollHost({
			emulator,
			inVirtualTime,
			parameters,
			credentialId: `poller${++hosts}`,
			...more,
		});
	return {
		...engine,
		host,
		/** Makes a trigger for the account's finished requests. */
		watchAccount: (more: INodeParameters = {}, options?: Partial<PollOptions>) =>
			host({ event: 'requestFinished', ...more }, options),
		/** Makes a trigger for the requests that the parameter Requests lists. */
		watchRequests: (
			requests: unknown,
			more: INodeParameters = {},
			options?: Partial<PollOptions>,
		) => {
			const parameters = { event: 'requestFinished', watch: 'requests', ...more };
			return host({ ...parameters, requests: requests as string }, options);
		},
		/** Submits requests with the node, as another workflow would. Returns the node's items. */
		async submit(
			count = 1,
			more: INodeParameters = {},
			options: IDataObject = {},
		): Promise<INodeExecutionData[]> {
			const { items, error } = await runNode({
				parameters: submitParams({ prompt: EACH_PROMPT, ...more }, options),
				items: prompts(count),
				// With its own credential, each call has its own rate limiter: a 429 meant for the poller must not delay it.
				credentialId: `submitter${Math.random()}`,
			});
			if (error) throw error;
			return items;
		},
		/** Submits many requests without a node. Returns their IDs. */
		submitMany: (count: number) =>
			prompts(count).map(({ json }) =>
				emulator.submitElsewhere({ slug: 'nano-banana-pro', input: json }),
			),
		/** Waits until the emulator's jobs have ended. */
		waitForJobs: async () => await engine.pass(120),
		/** Moves the service's clock forward, but not this process's. */
		forwardService: (ms: number) => void (shiftMs += ms),
	};
}
