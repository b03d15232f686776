/**
 * What an attack on money found: rows of the history that looked like none, a row of another model, an answer that named another's request, and an
 * edit that changes no value.
 */
import type { IDataObject } from 'n8n-workflow';

import { model, prompts, running } from '../../helpers/inference';
import { forRetry } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const ids = () => emulator.it.jobs.map(({ requestId }) => requestId);
const inJson = (requestBody: string) => running({ prompt: '' }, { requestBody });

describe('a history that cannot be understood is not an empty one: nothing is sent again', () => {
	type Row = Record<string, unknown>;
	const at = (row: Row) => Date.parse(String(row.created_at));
	const FORMS: Record<string, (row: Row) => Row> = {
		'ids under another name': ({ request_id, ...row }) => ({ ...row, requestId: request_id }),
		'epoch microseconds': (row) => ({ ...row, created_at: at(row) * 1_000 }),
		'the day alone, a day off': (row) => ({
			...row,
			created_at: new Date(at(row) - 86_400_000).toISOString().slice(0, 10),
		}),
		'the day before the month': (row) => ({ ...row, created_at: '01/02/2026, 10:00:00' }),
		'booleans in words': (row) => ({ ...row, request_body: { hd: 'True', prompt: 'a' } }),
	};
	test.each(Object.entries(FORMS))('%s', async (_name, historyRow) => {
		emulator.it.set({ historyRow });
		emulator.it.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		await runNode({ parameters: inJson('{"hd":true,"prompt":"a"}'), tries: 3 });
		expect(ids()).toHaveLength(1);
	});
});

test.each(['contains', 'ignored'] as const)(
	'an equal row of another model is not taken, where the filter of the history is %s',
	async (historyModelFilter) => {
		emulator.it.set({ historyModelFilter });
		emulator.it.fault({ on: 'submit', do: 'dropBeforeAccept' });
		const other = emulator.it.submitElsewhere({
			slug: 'seedance-2.0-fast',
			input: { prompt: 'a' },
		});
		const { failed } = await runNode({
			parameters: { ...inJson('{"prompt":"a"}'), model: model('seedance-2.0') },
		});
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', candidates: [other] }]);
	},
);

test('a row that names the title of the model is a row of the model', async () => {
	emulator.it.set({ historyRow: (row) => ({ ...row, model_name: 'Nano Banana Pro' }) });
	emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
	const { json } = await runNode({ parameters: inJson('{"prompt":"a"}') });
	expect(json[0].request_id).toBe(ids()[0]);
});

test('an answer that names the request of another item is not this one’s', async () => {
	await runNode({ parameters: running() });
	const body = JSON.stringify({ request_id: ids()[0], status: 'QUEUED' });
	emulator.it.fault({ on: 'submit', do: { status: 200, body, accept: true } });
	const { json, failed } = await runNode({ parameters: running({ prompt: 'another' }) });
	expect(failed).toEqual([]);
	expect((json[0] as IDataObject).request_id).toBe(ids()[1]);
});

test('members of JSON in another order ask for the same', async () => {
	emulator.it.set({ failWhen: ({ prompt }) => prompt === 'prompt 1' });
	const first = await runNode({
		parameters: inJson('={{ { prompt: $json.prompt, steps: 20 } }}'),
		items: prompts(2),
	});
	emulator.it.set({ failWhen: null });
	const { json } = await runNode({
		parameters: inJson('={{ { steps: 20, prompt: $json.prompt } }}'),
		resume: forRetry(first.stored),
	});
	expect(json.map(({ request_id }) => request_id)).toEqual([ids()[0], ids()[2]]);
});
