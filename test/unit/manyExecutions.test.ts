/** Many executions of one account under a tight rate limit: what was accepted is seen to end within the hour that its record lives. */
import { refFromSubmission } from '../../nodes/shared/request/result/requestRef';
import { waitFor } from '../../nodes/shared/request/wait/wait';
import { jsonOf } from '../../nodes/shared/service/answers';
import { seeded, withRandom } from '../../dev/simulation/seeded';
import { BASE_URL, SimulatedService, sessionFor } from '../../dev/simulation/simulatedService';
import { VirtualClock } from '../../dev/simulation/virtualClock';

const HOUR_MS = 3_600_000;
const EXECUTIONS = 400;
/** Real time for hours of virtual time on a machine that does much else, ms. */
const LIMIT_MS = 180_000;

interface Load {
	jobMs: number;
	/** From one execution to the next, ms. */
	everyMs: number;
	/** Each execution's own Timeout, ms. */
	timeoutMs: number;
}

/** Each execution has one item and knows nothing of the others but the rate limiter they share. */
async function run({ jobMs, everyMs, timeoutMs }: Load) {
	const clock = new VirtualClock();
	const random = seeded(19);
	const service = new SimulatedService({
		clock,
		jobMs,
		limit: { perMinute: 5 },
		recordMs: HOUR_MS,
	});
	const { client } = sessionFor(service, clock, random);
	const ends: string[] = [];
	const execution = async (at: number) => {
		await clock.sleep(at * everyMs);
		const sent = await client.send(
			() => ({ method: 'POST', url: `${BASE_URL}/v2/a-model`, body: '{}', limitMs: 60_000 }),
			{ purpose: 'submission', deadline: clock.now() + timeoutMs },
		);
		if (sent.kind !== 'answer') return void ends.push('not sent');
		const ref = refFromSubmission(jsonOf(sent.answer));
		if (!ref) return void ends.push('unusable');
		const { kind } = await waitFor({ client }, ref, {
			acceptedAt: clock.now(),
			isOwn: true,
			timeoutMs: HOUR_MS,
			pollIntervalMs: 0,
			label: 'a-model',
			checkAtOnce: false,
		});
		ends.push(kind);
	};
	await withRandom(random, async () => {
		const all = Array.from({ length: EXECUTIONS }, async (_unused, at) => await execution(at));
		await clock.runUntil(Promise.all(all), 48 * HOUR_MS);
	});
	return { ends, service };
}

it.each<Load>([
	{ jobMs: 20_000, everyMs: 0, timeoutMs: 900_000 },
	{ jobMs: 20_000, everyMs: 0, timeoutMs: HOUR_MS },
	{ jobMs: 400_000, everyMs: 0, timeoutMs: HOUR_MS },
	{ jobMs: 20_000, everyMs: 5_000, timeoutMs: HOUR_MS },
])(
	'400 executions at five calls a minute: none expires unseen (%j)',
	async (load) => {
		const { ends, service } = await run(load);
		const accepted = service.count('submit');
		expect(ends).toHaveLength(EXECUTIONS);
		expect(accepted).toBeGreaterThan(0);
		expect(ends.filter((end) => end !== 'not sent' && end !== 'finished')).toEqual([]);
		expect(ends.filter((end) => end === 'finished')).toHaveLength(accepted);
	},
	LIMIT_MS,
);
