/** v1 calls, whose response is the result itself. */
import { FormData } from 'undici';
import { until } from '../helpers/until';
import { call, useEmulatorWithManualClock, type CallResponse, type AnyValue } from './client';

const { emulator, clock } = useEmulatorWithManualClock({ v1Ms: 0 });

const urlOf = (model: string) => `${emulator.urls.api}/v1/${model}`;
const run = async (model: string): Promise<CallResponse> =>
	await call(emulator, urlOf(model), { body: { prompt: 'p' } });
test('charges nothing for a failure, and accepts multipart bodies', async () => {
	const body = new FormData();
	body.set('prompt', 'form');
	expect((await call(emulator, urlOf('flux-dev'), { body })).status).toBe(200);
	expect(emulator.jobs[0].input).toEqual({ prompt: 'form' });
	emulator.set({ failJobs: 'all', failText: 'no' });
	expect(await run('flux-dev')).toMatchObject({ status: 500, json: { error: 'no' } });
	expect(emulator.charged).toBe(0.0196);
});

test('the response comes when the job ends, with that time as its Date; the job is in the history, but is not a v2 request', async () => {
	emulator.set({ v1Ms: 60_000 });
	const pending = run('flux-dev');
	await until(() => emulator.jobs.length > 0);
	expect(emulator.jobs[0].state).not.toBe('COMPLETED');
	clock.forward(60_000);
	const { headers } = await pending;
	expect(headers.date).toBe(new Date(clock.now()).toUTCString());
	const { api, admin } = emulator.urls;
	const statusOf = async (url: string) => (await call(emulator, url)).status;
	const id: AnyValue = headers['x-request-id'];
	expect(await statusOf(`${api}/v2/requests/${id}`)).toBe(404);
	expect(await statusOf(`${admin}/inference-request/request-history/${id}`)).toBe(200);
});
