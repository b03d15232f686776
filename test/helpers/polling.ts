/** Segmind Trigger against the emulator on virtual time, for whole test files. */
import {
	sleep,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';

import { EACH_PROMPT, prompts, submitParams } from './inference';
import { PollHost, type PollOptions } from './triggers';
import { useVirtualEngine } from './virtualEngine';

export const idsOf = (items: INodeExecutionData[] = []) => items.map(({ json }) => json.request_id);

export function usePolling() {
	/** The emulator's time, ahead of this process's. */
	let shift = 0;
	const engine = useVirtualEngine({ clock: () => Date.now() + shift });
	const { emulator, runNode, during } = engine;
	beforeEach(() => void (shift = 0));
	let hosts = 0;
	const host = (parameters: INodeParameters, more: Partial<PollOptions> = {}): PollHost =>
		new PollHost({
			emulator,
			during,
			parameters,
			credentialId: `poller${++hosts}`,
			...more,
		});
	return {
		...engine,
		host,
		account: (more: INodeParameters = {}, options?: Partial<PollOptions>) =>
			host({ event: 'requestFinished', ...more }, options),
		listed: (requests: unknown, more: INodeParameters = {}, options?: Partial<PollOptions>) => {
			const parameters = { event: 'requestFinished', watch: 'requests', ...more };
			return host({ ...parameters, requests: requests as string }, options);
		},
		/** Submits requests with the node, as another workflow does; what they put out. */
		async submit(
			count = 1,
			more: INodeParameters = {},
			options: IDataObject = {},
		): Promise<INodeExecutionData[]> {
			const { items, error } = await runNode({
				parameters: submitParams({ prompt: EACH_PROMPT, ...more }, options),
				items: prompts(count),
				// A rate limiter of its own for each: a 429 meant for the poller must not hold it up.
				credentialId: `submitter${Math.random()}`,
			});
			if (error) throw error;
			return items;
		},
		/** Submits many requests without any node; their ids. */
		submitMany: (count: number) =>
			prompts(count).map(({ json }) =>
				emulator.submitElsewhere({ slug: 'nano-banana-pro', input: json }),
			),
		passed: async (ms: number) => await during(sleep(ms)),
		/** Lets jobs of the emulator end. */
		finished: async () => await during(sleep(120)),
		/** The service's clock goes on without this process's. */
		forward: (ms: number) => void (shift += ms),
	};
}
