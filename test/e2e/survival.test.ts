/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { Call } from '../../dev/emulator';
import { inference, itemsOf, prompts, started, succeeded, until } from '../helpers/n8nWorkflows';
import { useRecipes } from './recipeHost';

const { host, imported } = useRecipes();

const submissions = () => host.it.emulator.callsOf('submit').length;

// A time-out of the node is in production.test.ts.
test("the workflow's own time-out ends it; Retry fetches the same request", async () => {
	const { api, emulator } = host.it;
	emulator.set({ jobMs: 6000 });
	const { id } = await started(host.it, [...prompts(1), inference()], { executionTimeout: 2 });
	expect((await api.ended(id)).status).not.toBe('success');
	expect(submissions()).toBe(1);
	await until(() => emulator.jobs[0].state === 'COMPLETED');
	const retried = await succeeded(api, await api.retry(id));
	expect(itemsOf(retried, 'segmind')[0].json.request_id).toBe(emulator.jobs[0].requestId);
	expect(submissions()).toBe(1);
});

test('Stop ends a waiting execution at once, and the log knows the request', async () => {
	const { api, emulator, output } = host.it;
	emulator.set({ jobMs: 60_000 });
	const { id } = await started(host.it, [...prompts(2), inference()]);
	await until(() => emulator.jobs.length === 2);
	await pause(300);
	const at = Date.now();
	await api.stop(id);
	expect((await api.ended(id)).status).toBe('canceled');
	expect(Date.now() - at).toBeLessThan(2000);
	const { length } = emulator.calls;
	await pause(2500);
	expect(emulator.calls).toHaveLength(length);
	for (const { requestId } of emulator.jobs)
		expect(output()).toContain(`Segmind accepted request ${requestId}`);
});

test('n8n is killed while executions wait, and during Get Result: the one goes on by itself, the other at Retry', async () => {
	const { api, emulator } = host.it;
	emulator.set({ jobMs: 1000 });
	// So long that n8n puts the execution aside: from 65 s on.
	const changes = { Wait: { amount: 66, unit: 'seconds' } };
	const run = async (file: string) => await api.run(await imported(file, changes));
	const later = await run('submit-and-fetch-later.json');
	await until(() => emulator.jobs.length === 1);
	const looping = await run('long-job.json');
	for (const id of [later, looping])
		expect((await api.ended(id, ['waiting'])).status).toBe('waiting');
	const [picture, film] = emulator.jobs;
	const isFilm = ({ kind, path }: Call) =>
		kind === 'file' && film.files.some((url) => url.endsWith(path));
	emulator.fault({ on: isFilm, do: { delayMs: 50_000 } });
	await host.it.restart();
	const fetched = itemsOf(await succeeded(api, later), 'Get Result');
	expect(fetched).toMatchObject([{ json: { status: 'COMPLETED', request_id: picture.requestId } }]);

	await until(() => emulator.calls.some(isFilm));
	await host.it.restart();
	expect((await api.ended(looping)).status).toBe('crashed');
	const retried = await succeeded(api, await api.retry(looping));
	expect(itemsOf(retried, 'Finished')[0].json.request_id).toBe(film.requestId);
	expect(submissions()).toBe(2);
});
