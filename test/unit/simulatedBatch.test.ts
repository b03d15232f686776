import { runBatch } from '../../dev/simulation/simulatedBatch';

test('a batch waits out a limit of five calls a minute, and each job ends with its result', async () => {
	const { service } = await runBatch({ perMinute: 5, seed: 1, items: 4 });
	expect([service.count('submit'), service.count('result')]).toEqual([4, 4]);
});
