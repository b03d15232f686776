/** Segmind Trigger: changed fine-tune jobs, and credits. */
import type { INodeParameters } from 'n8n-workflow';

import { submitJobParams } from '../../helpers/fineTune';
import { usePolling } from '../../helpers/polling';
import { succeed } from '../../helpers/runNode';

const { emulator, runNode, host, forwardService } = usePolling();

describe('fine-tune jobs', () => {
	const STEP = 10_000;
	const jobs = (more: INodeParameters = {}) => host({ event: 'fineTuneStatusChanged', ...more });

	async function train(name = 'sneakers'): Promise<unknown> {
		emulator.set({ fineTuneOpen: true, fineTuneStepMs: STEP });
		const parameters = submitJobParams({ name });
		const { json } = succeed(await runNode({ node: 'segmindFineTune', parameters }));
		return json[0].finetune_id;
	}

	test('emits each later change once, across restarts', async () => {
		const id = await train();
		const trigger = jobs();
		expect(await trigger.activate()).toEqual([]);
		forwardService(STEP);
		const [change] = (await trigger.poll()) ?? [];
		expect(change.json).toMatchObject({
			finetune_id: id,
			name: 'sneakers',
			status: 'TRAINING_COMPLETED',
			previous_status: 'REQUESTED',
		});
		expect(await trigger.restart()).toEqual([]);
		forwardService(STEP);
		expect((await trigger.restart()).map(({ json }) => json.status)).toEqual(['INFERENCE_QUEUED']);
		const second = await train('boots');
		const more = (await trigger.poll()) ?? [];
		expect(more.map(({ json }) => [json.finetune_id, json.status, json.previous_status])).toEqual([
			[second, 'REQUESTED', null],
		]);
		expect(await trigger.restart()).toEqual([]);
	});

	test('emits only the chosen statuses, also if n8n forgot polls without events; a failed job has its reason', async () => {
		emulator.set({ failFineTunes: [1] });
		const id = await train();
		const trigger = jobs({ statuses: ['AVAILABLE', 'FAILED'] });
		await trigger.activate();
		const bad = await train('broken');
		forwardService(STEP);
		const failed = (await trigger.poll()) ?? [];
		expect(failed.map(({ json }) => [json.finetune_id, json.status])).toEqual([[bad, 'FAILED']]);
		expect(failed[0].json.error_message).toMatch(/GPU/);
		forwardService(STEP);
		expect(await trigger.poll()).toBeUndefined();
		forwardService(STEP);
		const available = { finetune_id: id, status: 'AVAILABLE' };
		expect(await trigger.restart()).toMatchObject([{ json: available }]);
		expect(await trigger.poll()).toBeUndefined();
	});

	test('a job that is missing from one list has no new status in the next one', async () => {
		await train();
		const trigger = jobs();
		await trigger.activate();
		emulator.fault({ on: 'finetune', do: { body: { data: [] } } });
		for (let poll = 0; poll < 2; poll++) expect(await trigger.poll()).toBeUndefined();
		forwardService(STEP);
		expect(await trigger.poll()).toMatchObject([{ json: { previous_status: 'REQUESTED' } }]);
		expect(trigger.errors).toEqual([]);
	});

	test('Fetch Test Event emits the current jobs', async () => {
		await expect(jobs().fetchTestEvent()).rejects.toThrow();
		await train();
		expect(await jobs({ statuses: ['AVAILABLE'] }).fetchTestEvent()).toHaveLength(1);
	});
});

describe('credits', () => {
	const credits = (more: INodeParameters = {}) =>
		host({ event: 'creditsBelow', threshold: 5, ...more });
	const balance = (total: number) => emulator.set({ balance: { credits: total, freeCredits: 0 } });

	test('starts once for each fall below the threshold, not at every poll or restart', async () => {
		balance(6);
		const trigger = credits();
		expect(await trigger.activate()).toEqual([]);
		balance(4);
		expect((await trigger.poll())?.map(({ json }) => json)).toEqual([
			{ credits: 4, 'free-credits': 0, total: 4, threshold: 5 },
		]);
		balance(3);
		expect(await trigger.poll()).toBeUndefined();
		balance(9);
		expect(await trigger.poll()).toBeUndefined();
		balance(4.9);
		expect(await trigger.poll()).toHaveLength(1);
		balance(5);
		expect(await trigger.poll()).toBeUndefined();
		balance(4);
		await trigger.poll();
		balance(3.5);
		expect(await trigger.restart()).toEqual([]);
		// The balance rose (n8n saves no poll without events) and fell while n8n was down.
		balance(20);
		await trigger.poll();
		balance(4.5);
		expect(await trigger.restart()).toHaveLength(1);
		balance(20);
		expect(await trigger.restart()).toEqual([]);
		balance(1);
		expect(await trigger.poll()).toHaveLength(1);
	});

	test("on n8n's durable scheduler, which forgets polls without events, starts once for each fall", async () => {
		balance(6);
		const trigger = host({ event: 'creditsBelow', threshold: 5 }, { loadsEveryPoll: true });
		await trigger.activate();
		let starts = 0;
		for (const total of [4, 3, 9, 8, 4.9, 4.8, 5, 4]) {
			balance(total);
			starts += (await trigger.poll())?.length ?? 0;
		}
		expect(starts).toBe(3);
	});

	test('a low balance at activation starts nothing; a missing balance fails at once', async () => {
		balance(1);
		expect(await credits().activate()).toEqual([]);
		const test = { credits: 1, 'free-credits': 0, total: 1, threshold: 5, sample: true };
		expect(await credits().fetchTestEvent()).toMatchObject([{ json: test }]);
		emulator.set({ noCreditRecord: true });
		await expect(credits().activate()).rejects.toMatchObject({ httpCode: '404' });
		await expect(credits({ threshold: 'much' as never }).activate()).rejects.toThrow();
	});
});
