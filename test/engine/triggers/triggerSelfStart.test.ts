/** A workflow that runs the model its own trigger watches would start itself forever, and each run is charged. */
import type { INodeParameters } from 'n8n-workflow';

import type { Follower } from '../../../dev/engine/triggerWorkflow';
import { model } from '../../helpers/inference';
import { actionNode } from '../../helpers/packageNodes';
import { usePolling } from '../../helpers/polling';

const { emulator, watchAccount, watchRequests, submit, waitForJobs } = usePolling();

const follower = (parameters: INodeParameters, type = 'segmind', more = {}): Follower => ({
	nodeType: actionNode(type),
	node: {
		id: 'after',
		name: 'After',
		type: `n8n-nodes-segmind.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		...more,
	},
});
const between = (type: string, more = {}) =>
	follower(image, type, { id: 'between', name: 'Between', ...more });
const image = { resource: 'image', operation: 'generate' };
const watchModel = (slug: string): INodeParameters => ({ model: model(slug) });
const expression = { ...image, model: { __rl: true, mode: 'slug', value: '={{ $json.model }}' } };

const slug = 'nano-banana';
const url = `https://www.segmind.com/models/${slug}`;
const runWorkflow = follower({ operation: 'run', slug: 'w' }, 'segmindWorkflow');
const byExpression = { operation: '={{ $json.operation }}', slug: 'w' };
test.each<[string, INodeParameters, Follower, ...Follower[]]>([
	['every model, any image', {}, follower(image)],
	['every model, Any Model', {}, follower({ resource: 'model', model: model('x') })],
	['every model, a transcript', {}, follower({ resource: 'audio', operation: 'transcribe' })],
	['every model, a published workflow', {}, runWorkflow],
	['every model, one call', {}, follower({ ...image, options: { answerInOneCall: true } })],
	['its default model', watchModel(slug), follower(image)],
	['the same model', watchModel(slug), follower({ ...image, model: model(slug) })],
	['its title', watchModel(slug), follower({ ...image, model: model('Nano Banana') })],
	['its name with underscores', watchModel('nano_banana'), follower(image)],
	['the URL of its page', watchModel(slug), follower({ ...image, model: model(url) })],
	['the URL of its page, watched', watchModel(url), follower(image)],
	['a model by expression', watchModel('x'), follower(expression)],
	['a field by expression', watchModel('x'), follower({ ...image, model: '={{ $json }}' })],
	['a resource by expression', {}, follower({ resource: '={{ $json.resource }}' })],
	['a task by expression', {}, follower({ ...image, operation: '={{ $json.operation }}' })],
	['an operation by expression', {}, follower(byExpression, 'segmindWorkflow')],
	['the same workflow', watchModel('w'), runWorkflow],
	['a model behind a disabled node', {}, follower(image), between('segmind', { disabled: true })],
	['a model behind a node that passes items on', {}, follower(image), between('segmindCredits')],
])(
	'activation fails, and every poll fails without a call: %s',
	async (_case, parameters, after, ...others) => {
		const trigger = watchAccount(parameters, { followers: [...others, after] });
		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringContaining('After') as unknown,
		});
		expect(await trigger.poll()).toBeUndefined();
		expect(trigger.errors).toHaveLength(1);
		expect(emulator.calls).toEqual([]);
	},
);

test.each<[string, INodeParameters, Follower[]]>([
	['nothing follows', {}, []],
	['the node is disabled', {}, [follower(image, 'segmind', { disabled: true })]],
	['it reads a request', {}, [follower({ resource: 'request', operation: 'getResult' })]],
	['it lists models', {}, [follower({ resource: 'model', operation: 'getMany' })]],
	['it reads the balance', {}, [follower({}, 'segmindCredits')]],
	['it uploads', {}, [follower({}, 'segmindAsset')]],
	['it reads a run of a workflow', {}, [follower({ operation: 'getResult' }, 'segmindWorkflow')]],
	['it runs another model', watchModel('seedance-2.0'), [follower(image)]],
	['the option allows it', { options: { allowSelfStart: true } }, [follower(image)]],
])('%s: the workflow can be activated', async (_case, parameters, followers) => {
	const trigger = watchAccount(parameters, { followers });
	expect(await trigger.activate()).toEqual([]);
});

test('listed requests, other events and Fetch Test Event are not checked', async () => {
	await watchRequests('', {}, { followers: [follower(image)] }).activate();
	await watchAccount({ event: 'creditsBelow' }, { followers: [follower(image)] }).activate();
	await submit(1);
	await waitForJobs();
	expect(await watchAccount({}, { followers: [follower(image)] }).fetchTestEvent()).toHaveLength(1);
});
