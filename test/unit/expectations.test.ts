/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { Expectations } from '../../nodes/shared/request/expectations';

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

describe('how long a request of a model is expected to take', () => {
	it('is unknown until one has finished in this run', () => {
		const expectations = new Expectations();
		expect(expectations.meanMs('flux')).toBeUndefined();
		expectations.record('flux', 3_000);
		expect(expectations.meanMs('flux')).toBe(3_000);
	});

	it('is the mean of those that finished, each model for itself', () => {
		const expectations = new Expectations();
		for (const ms of [2_000, 4_000, 9_000]) expectations.record('flux', ms);
		expectations.record('veo', 100_000);
		expect(expectations.meanMs('flux')).toBe(5_000);
		expect(expectations.meanMs('veo')).toBe(100_000);
		expect(expectations.meanMs('constructor')).toBeUndefined();
	});
});

describe('a finish', () => {
	it('wakes all who wait for the same model, and no other', async () => {
		const expectations = new Expectations();
		const woken: string[] = [];
		for (const name of ['flux 1', 'flux 2', 'veo 1'])
			void expectations.changed(name.split(' ')[0]).then(() => woken.push(name));
		expectations.record('flux', 1_000);
		await tick();
		expect(woken).toEqual(['flux 1', 'flux 2']);
	});

	it('wakes each wait once: who waits again waits for the next one', async () => {
		const expectations = new Expectations();
		let wakings = 0;
		const waitAgain = async () => {
			await expectations.changed('flux');
			wakings++;
			void waitAgain();
		};
		void waitAgain();
		for (const expected of [1, 2, 3]) {
			expectations.record('flux', 1_000);
			await tick();
			expect(wakings).toBe(expected);
		}
	});

	it('of many alike no longer wakes all the others, but one that changes the expectation does', async () => {
		const expectations = new Expectations();
		let wakings = 0;
		const waitAgain = async (): Promise<void> => {
			await expectations.changed('flux');
			wakings++;
			return await waitAgain();
		};
		void waitAgain();
		const finish = async (ms: number) => {
			expectations.record('flux', ms);
			await tick();
		};
		for (let finished = 0; finished < 1_000; finished++) await finish(60_000);
		expect(wakings).toBeLessThan(50);
		const before = wakings;
		await finish(60_000 * 100);
		expect(wakings).toBe(before + 1);
	});

	it('is known to those it wakes', async () => {
		const expectations = new Expectations();
		const seen = expectations.changed('flux').then(() => expectations.meanMs('flux'));
		expectations.record('flux', 1_000);
		expect(await seen).toBe(1_000);
	});
});

describe('the probe of a batch', () => {
	it('is the first request of each model, once', () => {
		const expectations = new Expectations();
		expect(
			['flux', 'flux', 'veo', 'flux', 'veo'].map((model) => expectations.claimProbe(model)),
		).toEqual([true, false, true, false, false]);
	});
});
