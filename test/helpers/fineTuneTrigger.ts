/** Segmind Fine-Tune Trigger behind a real HTTP server, for whole test files. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { submitFineTune } from '../../dev/emulator/sampleCalls';
import { systemClock } from '../../nodes/shared/base/clock';
import { useEmulator } from './emulator';
import { hostTrigger, type HostOptions, type WebhookHost } from './triggers';

export const ALL_EVENTS = ['TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'AVAILABLE'];
/** Returns the body of a delivery. */
export const event = (name: string, job: string | undefined = 'job-1', more: IDataObject = {}) => ({
	event_type: name,
	finetune_id: job,
	...more,
});

/** Starts an emulator and hosts triggers for a test file. A trigger that throws fails the test; all triggers are closed after each test. */
export function useFineTuneTrigger() {
	const emulator = useEmulator();
	let hosted: WebhookHost[] = [];
	let aheadMs = 0;
	const forwardNode = (ms: number) => void (aheadMs += ms);
	beforeEach(() => {
		// The node counts calls and log lines by the minute, for all tests of the file.
		forwardNode(60_000);
		jest.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + aheadMs);
	});
	afterEach(async () => {
		await Promise.all(hosted.map(async (one) => await one.whenIdle()));
		for (const { errors } of hosted) expect(errors).toEqual([]);
		await Promise.all(hosted.map(async (one) => await one.close()));
		hosted = [];
		jest.restoreAllMocks();
	});
	return {
		emulator,
		/** Moves the node's clock forward. */
		forwardNode,
		async host(
			parameters: INodeParameters = {},
			more: Partial<HostOptions> = {},
		): Promise<WebhookHost> {
			const one = await hostTrigger({ emulator, parameters, ...more });
			hosted.push(one);
			return one;
		},
		/** Submits a fine-tune job to the emulator. Returns its ID. */
		async submitJob(stepMs: number): Promise<string> {
			emulator.set({ fineTuneOpen: true, fineTuneStepMs: stepMs });
			return await submitFineTune(emulator, 'shoes');
		},
		/** Calls that read the details of a job. */
		details: () => emulator.calls.filter(({ path }) => path === '/finetune/request/details'),
	};
}
