/** With odd values of parameters and items, the node runs, or the user gets an error of this package. */
import type { IDataObject } from 'n8n-workflow';

import { runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const NAMES = ['generate', 'constructor', '__proto__', 'toString', ''];

test.each(NAMES.map((name) => [name]))(
	'an operation named %j does not exist',
	async (operation) => {
		const { failed } = await runNode({ parameters: { resource: 'request', operation } });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		for (const node of ['segmindWorkflow', 'segmindEndpoint', 'segmindCredits'])
			expect((await runNode({ node, parameters: { operation } })).failed).toMatchObject([
				{ kind: 'badInput' },
			]);
		for (const resource of ['job', 'constructor'])
			expect(
				(await runNode({ node: 'segmindFineTune', parameters: { resource, operation } })).failed,
			).toMatchObject([{ kind: 'badInput' }]);
		expect(emulator.calls).toEqual([]);
	},
);

test('a model whose slug is a number runs', async () => {
	const { failed } = await runNode({ parameters: runParams({ model: 5 }) });
	expect(failed).toMatchObject([{ httpCode: 404 }]);
});

test('an item that contains itself runs too', async () => {
	const json: IDataObject = { a: 1 };
	json.self = json;
	const { json: out } = succeed(await runNode({ parameters: runParams(), items: [{ json }] }));
	expect(out[0]).toMatchObject({ status: 'COMPLETED' });
});
