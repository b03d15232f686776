/** With odd values of parameters and items, the node runs, or the user gets an error of this package. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const NAMES = ['generate', 'constructor', '__proto__', 'toString', ''];

test.each(NAMES.map((name) => [name]))(
	'an operation named %j does not exist',
	async (operation) => {
		const expectNamed = async (parameter: string, parameters: INodeParameters, node?: string) => {
			const { failed } = await runNode({ node, parameters });
			const message = expect.stringMatching(new RegExp(`^${parameter} `));
			expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none', message }]);
		};
		await expectNamed('Operation', { resource: 'request', operation });
		for (const node of ['segmindWorkflow', 'segmindEndpoint', 'segmindCredits'])
			await expectNamed('Operation', { operation }, node);
		await expectNamed('Operation', { resource: 'job', operation }, 'segmindFineTune');
		await expectNamed('Resource', { resource: 'constructor', operation }, 'segmindFineTune');
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
