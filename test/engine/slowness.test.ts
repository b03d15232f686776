/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Floods, answers that never end, clocks that jump, uploads that take long. */
import { Readable } from 'node:stream';

import type { INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import { storeBinariesOnDisk } from '../../dev/engine/binaries';
import { binaryData } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { saying } from '../helpers/errorTexts';
import { EACH_PROMPT, prompts, running } from '../helpers/inference';
import { storedFile } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode, during } = useVirtualEngine();

describe('a service that says "again at once" is not flooded', () => {
	const AGAIN: Array<[string, FaultAction]> = [429, 503].flatMap((status) => [
		[`${status}, Retry-After: 0`, { status, headers: { 'retry-after': '0' }, body: {} }],
		[
			`${status}, a reset that is over`,
			{ status, headers: { 'x-rate-limit-reset-at-utc': new Date(0).toISOString() }, body: {} },
		],
		[`${status}, without a word`, { status, body: {} }],
	]);
	test.each(AGAIN)('%s: one item sends at most 15 in a minute', async (_what, action) => {
		emulator.it.fault({ on: 'submit', times: 'always', do: action });
		const { error } = await runNode({ parameters: running({}, { timeoutSeconds: 60 }) });
		expect(error?.description).toContain(CHARGE.none);
		expect(emulator.it.callsOf('submit').length).toBeLessThanOrEqual(15);
	});
});

describe('an answer that drips for ever ends with its own limit', () => {
	test.each(['status', 'result', 'submit'] as const)('%s', async (on) => {
		emulator.it.fault({ on, times: 'always', do: { dripMs: 5_000 } });
		const begunAt = Date.now();
		const { error } = await runNode({
			parameters: running({}, { timeoutSeconds: 60, pollIntervalSeconds: 5 }),
		});
		// A submission whose answer drips is found in the history.
		expect(error === undefined).toBe(on === 'submit');
		expect(Date.now() - begunAt).toBeLessThan(60_000 + 150_000);
		expect(emulator.it.jobs).toHaveLength(1);
	});
});

test('a clock that is set back lengthens no wait', async () => {
	emulator.it.set({ jobMs: 600_000 });
	const endedAt = runNode({
		parameters: running({ prompt: EACH_PROMPT }, { timeoutSeconds: 60, pollIntervalSeconds: 5 }),
		items: prompts(2),
	}).then(({ error }) => {
		expect(error?.message).toMatch(saying(CAUSES.stillRunning.what));
		return Date.now();
	});
	await during(sleep(20_000));
	// Not before the submission: the service, which goes by the same clock here, would not know it.
	const setBackTo = Date.now() - 15_000;
	jest.setSystemTime(setBackTo);
	expect((await endedAt) - setBackTo).toBeLessThan(48_000);
});

describe('a file on a slow line', () => {
	beforeAll(async () => await storeBinariesOnDisk());
	afterEach(() => jest.restoreAllMocks());
	const PIECES = 20;

	/** The store gives three bytes of the file every so often, as if the line took no more. */
	async function slowFile(everyMs: number) {
		const item = await storedFile(Buffer.alloc(3 * PIECES, 'x'), 'a.zip', 'application/zip');
		const slowly = async function* () {
			for (let at = 0; at < PIECES; at++) {
				if (at > 0) await sleep(everyMs);
				yield Buffer.from('xxx');
			}
		};
		jest
			.spyOn(binaryData(), 'getAsStream')
			.mockImplementation(async () => Readable.from(slowly(), { objectMode: false }));
		return item;
	}
	const UPLOADS: Array<[string, string, INodeParameters]> = [
		['an asset', 'segmindAsset', { operation: 'upload', binaryFields: 'data' }],
		[
			'a dataset',
			'segmindFineTune',
			{ resource: 'dataset', operation: 'upload', variant: 'fluxPro', binaryField: 'data' },
		],
	];

	test.each(UPLOADS)(
		'%s goes up as long as it gets on, longer than any limit of a call',
		async (_what, node, parameters) => {
			const items = [await slowFile(45_000)];
			const begunAt = Date.now();
			const { error } = await runNode({ node, parameters, items });
			expect(error).toBeUndefined();
			expect(emulator.it.calls.filter(({ method }) => method !== 'GET')).toHaveLength(1);
			expect(Date.now() - begunAt).toBeGreaterThan(600_000);
		},
	);
});
