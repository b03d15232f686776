/**
 * The format of the history's rows is a guess (docs/service.md S260 to S266). Whatever it is, a submission that got a gateway's response isn't
 * silently resent: the item gets its own request, or fails and names it.
 */
import type { IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { HINTS } from '../../nodes/shared/errors/hintTable';
import { patternOf } from '../helpers/errorTexts';
import { model, runParams } from '../helpers/inference';
import { type RunResult } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode, inVirtualTime } = useVirtualEngine();

const BODY = {
	prompt: '  a lighthouse at dusk ',
	steps: 25,
	guidance: 7.5,
	hd: true,
	story: 'once upon a time '.repeat(60),
	image: `data:image/png;base64,${'A'.repeat(2_000)}`,
	size: { width: 512, height: '512' },
};
const paramsFor = (answerInOneCall: boolean) =>
	runParams(
		{ prompt: '' },
		{ requestBody: JSON.stringify(BODY), pollIntervalSeconds: 10, answerInOneCall },
	);
const PARAMS = paramsFor(false);

type Row = Record<string, unknown>;
type Change = (row: Row, endsAt: number) => Row;
const body =
	(change: (body: typeof BODY) => unknown): Change =>
	(row) => ({ ...row, request_body: change(row.request_body as typeof BODY) });
const time =
	(change: (at: number, endsAt: number) => unknown): Change =>
	(row, endsAt) => ({ ...row, created_at: change(Date.parse(String(row.created_at)), endsAt) });
const iso = (at: number) => new Date(at).toISOString();
/** Writes the time without a zone, as in a place this many hours ahead of UTC. */
const inZone = (hours: number) => time((at) => iso(at + hours * 3_600_000).replace('Z', ''));
const asText = (value: unknown): unknown =>
	typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

/** Plausible forms of a row, and whether it is certainly the request's or only named as a candidate. test/unit/matchRows.test.ts covers bodies. */
const FORMS: Array<[string, Change, 'found' | 'named']> = [
	['the body as text', body((sent) => JSON.stringify(sent)), 'found'],
	[
		'numbers as text, members in another order',
		body((sent) =>
			Object.fromEntries(
				Object.entries(sent)
					.map(([name, value]) => [name, asText(value)])
					.reverse(),
			),
		),
		'found',
	],
	['no body', (row) => ({ ...row, request_body: undefined }), 'named'],
	['long strings cut', body((sent) => ({ ...sent, story: sent.story.slice(0, 100) })), 'named'],
	['a time without a zone, UTC', inZone(0), 'named'],
	['a time without a zone, India', inZone(5.5), 'named'],
	['a time without a zone, California', inZone(-7), 'named'],
	['the time of completion', time((_at, endsAt) => iso(endsAt)), 'named'],
	['a clock 8 s behind', time((at) => iso(at - 8_000)), 'named'],
	['a clock 30 s behind', time((at) => iso(at - 30_000)), 'named'],
	['no time', (row) => ({ ...row, created_at: undefined, updated_at: undefined }), 'named'],
	['a time that cannot be read', time(() => 'last Thursday'), 'named'],
	['GMT text', time((at) => new Date(at).toUTCString()), 'found'],
	['epoch milliseconds', time((at) => at), 'found'],
	['epoch seconds as text', time((at) => String(Math.floor(at / 1_000))), 'found'],
];

const loseToGateway = () =>
	emulator.fault({ on: ['submit', 'v1'], do: { status: 504, body: '<html>', accept: true } });

/** Runs a request with Retry On Fail and, if that fails, with Retry in the executions list after five minutes. */
async function runThreeTimes(parameters = PARAMS): Promise<RunResult> {
	const first = await runNode({ parameters, tries: 2 });
	if (!first.error) return first;
	await inVirtualTime(sleep(300_000));
	return await runNode({ parameters, retryOf: first });
}

function expectNotChargedTwice({ error, json, failed }: RunResult, certainty: 'found' | 'named') {
	const [{ requestId }, ...others] = emulator.jobs;
	expect(others).toEqual([]);
	if (certainty === 'found') {
		expect(error).toBeUndefined();
		expect((json[0] as IDataObject).request_id).toBe(requestId);
		return;
	}
	expect(failed).toMatchObject([
		{ kind: 'unknownOutcome', outcomeUnknown: true, search: 'candidates', candidates: [requestId] },
	]);
	expect(error?.description).toContain(requestId);
}

test.each(FORMS)(
	'a lost request in a history with %s (%#)',
	async (_name, historyRow, certainty) => {
		emulator.set({ historyRow, jobMs: 40_000 });
		loseToGateway();
		expectNotChargedTwice(await runThreeTimes(), certainty);
	},
);

test.each(FORMS.filter(([name]) => /the time of completion|no body|body as text/.test(name)))(
	'a lost v1 call in a history with %s',
	async (name, historyRow, certainty) => {
		emulator.set({ historyRow, jobMs: 40_000 });
		loseToGateway();
		// A v1 call stays under way until its request completes, so a row with the time of completion matches too.
		const isInWindow = name === 'the time of completion';
		expectNotChargedTwice(await runThreeTimes(paramsFor(true)), isInWindow ? 'found' : certainty);
	},
);

test.each<IDataObject>([
	{ ...BODY, prompt: 'a windmill' },
	{ prompt: BODY.prompt, steps: '26' },
])('the row %j is clearly another request, so ours is resent, with a hint', async (input) => {
	emulator.submitElsewhere({ slug: 'nano-banana-pro', input });
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
	const { json, hints, error } = await runNode({ parameters: PARAMS, tries: 2 });
	expect(error).toBeUndefined();
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(hints.join()).toMatch(patternOf(HINTS.resent));
});

describe('a history that cannot be read, after a response of a gateway', () => {
	test.each([401, 403, 404])(
		'%i: there is no history, and the request is resent with a hint',
		async (status) => {
			emulator.fault({ on: 'history', times: Infinity, do: { status, body: { error: 'no' } } });
			emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
			const { hints, error } = await runNode({ parameters: PARAMS, tries: 2 });
			expect(error).toBeUndefined();
			expect(hints.join()).toMatch(patternOf(HINTS.resent));
			expect(emulator.jobs).toHaveLength(1);
		},
	);

	test.each([500, 429])(
		'%i: with a transient fault, this attempt sends nothing and the next one decides',
		async (status) => {
			loseToGateway();
			emulator.fault({ on: 'history', times: Infinity, do: { status, body: '' } });
			const failed = await runNode({ parameters: PARAMS, tries: 2 });
			expect(failed.failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
			expect(emulator.callsOf('submit')).toHaveLength(1);
			emulator.clearFaults();
			const { json } = await runNode({ parameters: PARAMS, retryOf: failed });
			expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
			expect(emulator.jobs).toHaveLength(1);
		},
	);
});

const ids = () => emulator.jobs.map(({ requestId }) => requestId);
const inJson = (requestBody: string) => runParams({ prompt: '' }, { requestBody });

describe('a history that cannot be understood is not an empty one: nothing is resent', () => {
	const at = (row: Row) => Date.parse(String(row.created_at));
	const ROWS: Record<string, (row: Row) => Row> = {
		'IDs under another name': ({ request_id, ...row }) => ({ ...row, requestId: request_id }),
		'epoch microseconds': (row) => ({ ...row, created_at: at(row) * 1_000 }),
		'only the day, off by one': (row) => ({
			...row,
			created_at: new Date(at(row) - 86_400_000).toISOString().slice(0, 10),
		}),
		'the day before the month': (row) => ({ ...row, created_at: '01/02/2026, 10:00:00' }),
		'booleans in words': (row) => ({ ...row, request_body: { hd: 'True', prompt: 'a' } }),
	};
	test.each(Object.entries(ROWS))('%s', async (_name, historyRow) => {
		emulator.set({ historyRow });
		emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		await runNode({ parameters: inJson('{"hd":true,"prompt":"a"}'), tries: 3 });
		expect(ids()).toHaveLength(1);
	});
});

test.each(['contains', 'ignored'] as const)(
	'an equal row of another model is not adopted (filter of the history: %s)',
	async (historyModelFilter) => {
		emulator.set({ historyModelFilter });
		emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
		const other = emulator.submitElsewhere({
			slug: 'seedance-2.0-fast',
			input: { prompt: 'a' },
		});
		const { failed } = await runNode({
			parameters: { ...inJson('{"prompt":"a"}'), model: model('seedance-2.0') },
		});
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', candidates: [other] }]);
	},
);

test('a row with the title of the model instead of its slug is a row of the model', async () => {
	emulator.set({ historyRow: (row) => ({ ...row, model_name: 'Nano Banana Pro' }) });
	emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
	const { json } = await runNode({ parameters: inJson('{"prompt":"a"}') });
	expect(json[0].request_id).toBe(ids()[0]);
});
