import { Gate } from '../../nodes/shared/transport/gate';
import { seeded } from './seeded';
import { SimulatedService, runJob, sessionFor } from './simulatedService';
import { VirtualClock } from './virtualClock';

it.each([[5],[50],[500]])('%s', async (perMinute) => {
 for (const reset of ['iso','retryAfter','none'] as const) for (const sendRemaining of [false,true]) for (const offset of [0, 20_000, 45_000]) {
	const random = seeded(perMinute+1);
	const spy = jest.spyOn(Math, 'random').mockImplementation(random);
	const clock = new VirtualClock();
	const gate = new Gate(clock, random);
	const service = new SimulatedService({ clock, jobMs: 5_000, limit: { perMinute, sendRemaining, reset } });
	if (offset) { service.limiter.count(); await clock.advance(offset); }
	const session = sessionFor(service, clock, gate);
	const start = clock.now();
	const t0 = Date.now();
	await clock.runUntil(Promise.all(Array.from({ length: 20 }, (_u, i) => runJob(session, i))));
	const total = clock.now() - start;
	const least = perMinute===5 ? 660_000 - offset: perMinute===50 ? 60_000 - offset : 5_000;
	console.log(perMinute, reset, sendRemaining, offset, (total/1000).toFixed(1), (total / least).toFixed(3), service.calls.length, service.count('status'), 'refused', service.count('submit',429),service.count('status',429),service.count('result',429), Date.now() - t0);
	spy.mockRestore();
 }
});
