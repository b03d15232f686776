/** Whatever a list of the service contains, n8n evaluates no entry of a picker. */
import fc from 'fast-check';

import { ACTION_NODES, actionNode } from '../../helpers/packageNodes';
import { search } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, inVirtualTime } = useVirtualEngine();

/** Every picker of this package that shows a list of the service, so that a new one is tested too. */
const PICKERS = Object.keys(ACTION_NODES).flatMap((node) =>
	Object.keys(actionNode(node).methods?.listSearch ?? {})
		.filter((method) => !/Gpus|ScalerTypes/.test(method))
		.map((method) => [node, method] as const),
);

/** Whether n8n would evaluate the text: an expression, even after spaces and invisible characters, or an argument of an agent's tool. */
const isEvaluated = (text: string) => /^[\s\p{Cf}]*=|\$fromAI\s*\(/iu.test(text);

const text = fc
	.array(
		fc.oneof(
			fc.constantFrom('=', '{{ ', ' }}', '$fromAI', '(', ' ', '\u200b', '\n', "'x'", '$json'),
			fc.string({ maxLength: 4 }),
		),
		{ minLength: 1, maxLength: 8 },
	)
	.map((pieces) => pieces.join(''));
const entry = fc.record({ id: text, name: text, kind: text });

test.each(PICKERS)('%s: %s returns no entry that n8n would evaluate', async (node, method) => {
	await fc.assert(
		fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 5 }), async (entries) => {
			emulator.clearFaults();
			const body = [
				{ id: '={{ $json.x }}', name: '={{ 1 }}', kind: '=' },
				{ id: 'plain', name: "={{ $fromAI('x') }}", kind: '$fromAI(' },
				...entries,
			].map(({ id, name, kind }) => ({
				endpoint_id: id,
				endpoint_name: name,
				model_name: kind,
				finetune_id: id,
				base_model: kind,
				status: kind,
				slug: id,
				title: name,
				name,
				type: kind,
			}));
			for (const on of ['endpoint', 'finetune', 'models'] as const)
				emulator.fault({ on, times: 'always', do: { body } });
			// For Any Model, the list has models of every kind.
			const parameters = { resource: 'model', operation: 'run' };
			const { results } = await inVirtualTime(search({ emulator, node, method, parameters }));
			for (const { name, value } of results)
				expect([name, value].filter((shown) => isEvaluated(String(shown)))).toEqual([]);
			expect(results.map(({ value }) => value)).toContain('plain');
		}),
		{ numRuns: 30, seed: 1 },
	);
});
