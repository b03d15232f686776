/** A run has one credential, the first item's. An item whose credential differs fails alone, before anything is sent. */
import type { IDataObject } from 'n8n-workflow';

import { submitParams } from '../../helpers/inference';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const OTHER_KEY = ['SG', '89abcdef01234567'].join('_');
const itemsOf = (...values: IDataObject[]) => values.map((json) => ({ json }));

test.each([
	['key', { apiKey: "={{ $json.key ?? 'none' }}" }, () => emulator.key, OTHER_KEY],
	[
		'address',
		{ baseUrl: '={{ $json.key }}' },
		() => String(emulator.credentials.baseUrl),
		'http://127.0.0.1:9',
	],
])('another %s fails its own item only', async (_what, credential, first, other) => {
	const items = itemsOf({ key: first() }, { key: other }, { key: first() });
	const { failed } = await runNode({ parameters: submitParams(), credential, items });
	expect(failed).toMatchObject([{ item: 1, kind: 'badInput', charge: 'none' }]);
	expect(JSON.stringify(failed)).not.toContain(other);
	expect(emulator.callsOf('submit')).toHaveLength(2);
});

test('with a Continue mode, the item has the error', async () => {
	const { json } = await runNode({
		parameters: submitParams(),
		credential: { apiKey: '={{ $json.key }}' },
		items: itemsOf({ key: emulator.key }, { key: OTHER_KEY }),
		onError: 'continueRegularOutput',
	});
	expect(json).toMatchObject([{ request_id: expect.any(String) as string }, { error: {} }]);
});

test('an item whose credential cannot be evaluated fails alone', async () => {
	const apiKey = "={{ $json.isBad ? $('Later').item.json.x : $json.key }}";
	const { failed } = await runNode({
		parameters: submitParams(),
		credential: { apiKey },
		items: itemsOf({ key: emulator.key }, { isBad: true }),
	});
	expect(failed).toMatchObject([{ item: 1, kind: 'badInput', charge: 'none' }]);
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test('another session fails its own item only, but not a refreshed one', async () => {
	const refreshToken = String(emulator.session.refreshToken);
	const { failed } = await runNode({
		node: 'segmindAccount',
		parameters: { resource: 'session', operation: 'getProfile' },
		session: { refreshToken: '={{ $json.token }}' },
		items: itemsOf({ token: refreshToken }, { token: 'another' }),
	});
	expect(failed).toMatchObject([{ item: 1, kind: 'badInput', charge: 'none' }]);
	emulator.reset();
	const { failed: ofSame } = await runNode({
		node: 'segmindAccount',
		parameters: { resource: 'session', operation: 'refresh' },
		items: itemsOf({}, {}, {}),
	});
	expect(ofSame).toEqual([]);
});
