/** Hints about a chosen model that the stored form (docs/n8n.md N283) or the task does not belong to. */
import { Workflow, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { nodeOf, nodeTypesOfOne } from '../../../dev/engine/node';
import { Segmind } from '../../../nodes/Segmind/Segmind.node';
import { otherModelHint } from '../../../nodes/shared/descriptions/inputs';
import { loadForm, PAINTER, UNREACHABLE, useForms } from '../../helpers/forms';
import { EACH_PROMPT, model, prompts, submitParams } from '../../helpers/inference';
import { runNode, succeed } from '../../helpers/runNode';
import { storedForm } from '../../helpers/modelForm';

const { emulator, serveList } = useForms();

/** Returns the stored form of Painter 9 with these values. */
async function painterForm(value: IDataObject = { steps: 5 }) {
	const { fields } = await loadForm((await serveList([PAINTER])).url);
	return storedForm(fields, value) as INodeParameters;
}

describe('the hint in the panel', () => {
	const nodeType = new Segmind();

	/** Evaluates an expression of the node's description, as the editor does. */
	function evaluate(parameters: INodeParameters, expression: string): unknown {
		const node = nodeOf({ parameters }, nodeType);
		const nodeTypes = nodeTypesOfOne(nodeType);
		const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		return workflow.expression.getSimpleParameterValue(node, expression, 'internal', {});
	}

	/** n8n 1.85 doesn't. */
	const readsRaw = evaluate({ model: 'x' }, '={{ $rawParameter.model }}') === 'x';

	/** Returns the hints that the editor shows for a node with these parameters. */
	function shownHints(parameters: INodeParameters): string[] {
		const hints = nodeType.description.hints ?? [];
		const shown = hints.filter(({ displayCondition = '' }) => {
			const isShown = evaluate(parameters, displayCondition);
			expect(typeof isShown).toBe('boolean');
			return isShown;
		});
		return shown.map(({ message }) => message);
	}
	const isShown = (parameters: INodeParameters) =>
		shownHints(parameters).includes(otherModelHint.message);

	test.each<[chosen: string, INodeParameters['model'], isShown: boolean]>([
		['another model', model('nano-banana'), true],
		["another model's page", model('https://www.segmind.com/models/nano-banana/api'), true],
		['the same model', model('painter-9'), false],
		['the same model with spaces around it', model(' painter-9 '), false],
		["the same model's page", model('https://www.segmind.com/models/painter-9/api?x=1'), false],
		["the same model's calls", model('http://127.0.0.1:9/v2/painter-9'), false],
		['an expression', model('={{ $json.model }}'), false],
		['no model', model(''), false],
	])('%s', async (_name, chosen, wanted) => {
		const parameters = { model: chosen, prompt: EACH_PROMPT, parameters: await painterForm() };
		expect(isShown(parameters)).toBe(wanted && readsRaw);
	});

	test.each<[string, unknown]>([
		['no form', undefined],
		['an untouched form', { mappingMode: 'defineBelow', value: null }],
		['an empty form', storedForm([], {})],
		['a form without its model', storedForm([{ id: 'steps' } as never], { steps: 5 })],
	])('%s: not shown', (_name, parameters) => {
		const stored = { model: model('nano-banana'), ...(parameters !== undefined && { parameters }) };
		expect(isShown(stored as INodeParameters)).toBe(false);
	});

	test.each<[task: string, chosen: string, named: string[]]>([
		['image generate', 'veo-3.1', ['Video: Generate']],
		['image generate', 'https://www.segmind.com/models/veo-3.1', ['Video: Generate']],
		['image generate', 'nano-banana', []],
		['image edit', 'flux-dev', ['Image: Generate']],
		['image edit', 'nano-banana', []],
		['image edit', 'esrgan', []],
		['video generate', 'esrgan', ['Image: Edit', 'Image: Upscale']],
		['audio generateMusic', 'gemini-3.1-flash-tts', ['Audio: Generate', 'Audio: Generate Speech']],
		['image generate', 'gemini-embedding-001', ['Any Model: Run']],
		// A model whose parameters aren't known may take files.
		['image edit', 'flux-2-max', []],
		['model run', 'veo-3.1', []],
		['image generate', 'my-endpoint', []],
		['image generate', '={{ "veo-3.1" }}', []],
	])('%s of %s: names %j instead', (task, chosen, named) => {
		const [resource, operation] = task.split(' ');
		const hints = shownHints({ resource, operation, model: model(chosen) }).join();
		const titles = hints.match(/(Image|Video|Audio|Text|Any Model): \w+( \w+)?(?= or|,)/g);
		expect(titles ?? []).toEqual(readsRaw ? named : []);
	});
});

describe('a run with the form of another model', () => {
	const run = async (
		parameters: INodeParameters,
		slug = 'nano-banana',
		options: IDataObject = {},
	) =>
		await runNode({
			emulator,
			parameters: submitParams({ model: model(slug), parameters }, options),
			items: prompts(2),
		});

	test('fails before anything is sent if one of its values would be sent, and names both models', async () => {
		const { failed } = await run(await painterForm({ reference: 'no file', steps: '' }));
		expect(failed).toMatchObject([
			{ kind: 'badInput', charge: 'none' },
			{ kind: 'badInput', charge: 'none' },
		]);
		for (const { message } of failed)
			expect(message).toMatch(/painter-9.*nano-banana|nano-banana.*painter-9/);
		expect(emulator.calls).toEqual([]);
	});

	test('fails only the items for which a value would be sent', async () => {
		const steps = '={{ $json.prompt === "prompt 1" ? 5 : "" }}';
		const { failed } = await run(await painterForm({ steps }));
		expect(failed).toMatchObject([{ item: 1, kind: 'badInput' }]);
		expect(emulator.callsOf('submit')).toHaveLength(1);
	});

	test.each<[string, IDataObject]>([
		['no values', {}],
		['empty values', { steps: '', style: null, seed: '={{ undefined }}' }],
	])('%s: runs', async (_name, value) => {
		succeed(await run(await painterForm(value)));
		expect(emulator.callsOf('submit')).toHaveLength(2);
	});

	test('a form that names no model runs', async () => {
		const { fields } = await loadForm(UNREACHABLE, 'veo-3.1-fast');
		const unnamed = fields.filter(({ display }) => display);
		succeed(await run(storedForm(unnamed, { seed: 7 }) as INodeParameters));
		expect(emulator.jobs.map(({ input }) => input.seed)).toEqual([7, 7]);
	});

	test('Request Body replaces the form', async () => {
		const options = { requestBody: '{"prompt": "a fox"}' };
		succeed(await run(await painterForm(), 'nano-banana', options));
	});

	test("the model's page is the model itself", async () => {
		// The emulator doesn't have the model.
		await run(await painterForm(), 'https://www.segmind.com/models/painter-9');
		const bodies = emulator.callsOf('submit').map(({ body }) => body);
		expect(bodies).toMatchObject([{ steps: 5 }, { steps: 5 }]);
	});
});
