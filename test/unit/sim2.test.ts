import { Gate } from '../../nodes/shared/transport/gate';
import { awaitRequest } from '../../nodes/shared/request/awaiting';
import { refFromId } from '../../nodes/shared/request/requestRef';
import { seeded } from './seeded';
import { SimulatedService, BASE_URL, sessionFor } from './simulatedService';
import { VirtualClock } from './virtualClock';

it.each([[5],[10],[50],[500]])('%s', async (perMinute) => {
 for (const reset of ['iso'] as const) for (const taken of [0, 1, 3, 1000]) for (const offset of [0, 20_000, 45_000]) for (const jobMs of [1000, 100_000]){
	const random = seeded(perMinute+1);
	const spy = jest.spyOn(Math, 'random').mockImplementation(random);
	const clock = new VirtualClock();
	const gate = new Gate(clock, random);
	const known = Array.from({length: 20}, (_u,i)=>`r${i}`);
	const service = new SimulatedService({ clock, jobMs, limit: { perMinute, reset }, known });
	for (let i=0;i<Math.min(taken,perMinute);i++) service.limiter.count(); await clock.advance(offset);
	const session = sessionFor(service, clock, gate);
	const start = clock.now();
	await clock.runUntil(Promise.all(known.map((id, i) => awaitRequest(session, refFromId(id, BASE_URL), { itemIndex: i, acceptedAt: clock.now(), timeoutMs: 3_600_000, pollIntervalMs: 0, label: 'a-model', lookAtOnce: true }))));
	const total = clock.now() - start;
	console.log(perMinute, 'taken', taken, 'offset', offset, 'job', jobMs, (total/1000).toFixed(1), service.calls.length, service.count('status'), 'refused', service.count('status',429),service.count('result',429));
	spy.mockRestore();
 }
});
