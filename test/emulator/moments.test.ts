import { startEmulator, type Emulator } from '../../dev/emulator';
import { call, handClock, submit, until } from './client';

/** A clock that moves on each time it is read. */
function restlessClock(stepMs: number): { now: () => number; readonly readings: number } {
	let readings = 0;
	return {
		now: () => Date.UTC(2026, 0, 1) + stepMs * readings++,
		get readings() {
			return readings;
		},
	};
}

let emulator: Emulator;
afterEach(async () => await emulator.close());

test('the clock is read once for each call', async () => {
	const clock = restlessClock(1);
	emulator = await startEmulator({ clock: clock.now, rateLimit: { perMinute: 100 } });
	const { json } = await submit(emulator, 'flux-dev');
	const calls: Array<[string, unknown?]> = [
		[`${emulator.urls.api}/v2/flux-dev`, { prompt: 'p' }],
		[json.status_url],
		[json.response_url],
		[json.poll_url],
		[`${emulator.urls.api}/v1/get-user-credits`],
		[`${emulator.urls.admin}/inference-request/request-history`],
		[`${emulator.urls.admin}/inference-request/request-history/${json.request_id}`],
		[`${emulator.urls.api}/finetune/request/list`],
		[`${emulator.urls.api}/workflows/v2/plain-values`, { prompt: 'p' }],
	];
	for (const [url, body] of calls) {
		const before = clock.readings;
		expect((await call(emulator, url, { body })).status).toBe(200);
		expect([url, clock.readings - before]).toEqual([url, 1]);
	}
});

test('a job that ends while its answer is made is ended in all of it or in none', async () => {
	emulator = await startEmulator({
		clock: restlessClock(100).now,
		queueMs: 350,
		jobMs: 650,
		failJobs: 'all',
		failedStatus: 200,
		failedReason: 'both',
	});
	for (let round = 0; round < 5; round++) {
		const { json } = await submit(emulator, 'flux-dev');
		const words = new Set<string>();
		for (let look = 0; look < 14; look++) {
			const { json: told } = await call(emulator, json.status_url);
			words.add(told.status);
			const failed = told.status === 'FAILED';
			expect([told.error !== undefined, 'total_time' in told.metrics]).toEqual([failed, failed]);
		}
		expect([...words]).toEqual(['QUEUED', 'PROCESSING', 'FAILED']);
	}
});

test('an answer that waits for its job goes by the moment it ends', async () => {
	const clock = handClock();
	emulator = await startEmulator({ clock: clock.now, v1Ms: 60_000 });
	const start = clock.now();
	const answer = call(emulator, `${emulator.urls.api}/v1/flux-dev`, { body: { prompt: 'p' } });
	await until(() => emulator.jobs.length > 0);
	clock.forward(60_000);
	expect((await answer).headers).toMatchObject({
		date: new Date(start + 60_000).toUTCString(),
		'x-remaining-credits': '99.9804',
	});
});

test.each([7_000, -7_000])('a service whose clock is %i ms ahead', async (clockAheadMs) => {
	const clock = handClock();
	emulator = await startEmulator({
		clock: clock.now,
		clockAheadMs,
		queueMs: 0,
		jobMs: 1000,
		rateLimit: { perMinute: 3, sendReset: true },
	});
	const own = clock.now() + clockAheadMs;
	const { json, headers } = await submit(emulator, 'flux-dev');
	expect(headers).toMatchObject({
		date: new Date(own).toUTCString(),
		'x-rate-limit-reset-at-utc': new Date(own + 60_000).toISOString(),
	});
	// What the test reads of the calls goes by its own clock.
	expect(emulator.calls[0].at).toBe(clock.now());
	expect(emulator.jobs[0].submittedAt).toBe(own);
	expect((await call(emulator, json.status_url)).json.status).toBe('PROCESSING');
	clock.forward(1000);
	expect((await call(emulator, json.status_url)).json.status).toBe('COMPLETED');
	const history = `${emulator.urls.admin}/inference-request/request-history`;
	const { json: record } = await call(emulator, `${history}/${json.request_id}`);
	expect(record.created_at).toBe(new Date(own).toISOString());
	clock.forward(3_598_999);
	expect((await call(emulator, json.status_url)).status).toBe(200);
	clock.forward(1);
	expect((await call(emulator, json.status_url)).status).toBe(404);
	const [, payload] = emulator.session.refreshToken.split('.');
	const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat: number };
	expect(claims.iat).toBe(Math.floor((clock.now() + clockAheadMs) / 1000));
});
