/** Runs each operation and each event once against the emulator, and records the fields of their items. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { nodeOf } from '../../dev/engine/node';
import type { Emulator } from '../../dev/emulator';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import { TASKS } from '../../nodes/shared/catalogue/tasks';
import { ENDPOINT } from '../helpers/endpoint';
import { submitJobParams } from '../helpers/fineTune';
import { model, rows, runParams } from '../helpers/inference';
import { actionNode } from '../helpers/packageNodes';
import { fileItem, runNode } from '../helpers/runNode';
import { PollHost, hostTrigger } from '../helpers/triggers';

const options = { pollIntervalSeconds: 0.05 };
const request = '={{ $json }}';
const ZIP = {
	data: {
		bytes: Buffer.from('PK\u0003\u0004'),
		mimeType: 'application/zip',
		fileName: 'shoes.zip',
	},
};

/** Records the fields of items as the output of `source`. */
type RecordFields = (source: string, items: INodeExecutionData[]) => void;

interface RunDetails {
	/** How this run differs from others of the same operation. */
	as?: string;
	items?: INodeExecutionData[];
}
/** Runs an operation of a node and records the fields of its items. If the node has resources, `operation` begins with one: `model run`. */
type Run = (
	node: string,
	operation: string,
	parameters?: INodeParameters,
	details?: RunDetails,
) => Promise<INodeExecutionData[]>;

/** What the items of an operation or an event have: the kind of each top-level field, and the binary fields. */
interface Recorded {
	fields: Record<string, string>;
	files: string[];
}
/** The outputs by their source: `segmind image edit`. */
export type Outputs = Record<string, Recorded>;

/** Returns the output of each operation and event. `forwardService` sets the emulator's clock forward. */
export async function recordOutputs(
	emulator: Emulator,
	forwardService: (ms: number) => void,
): Promise<Outputs> {
	const outputs: Outputs = {};
	const recordFields: RecordFields = (source, items) => {
		if (items.length === 0) throw new Error(`${source} has no output`);
		const recorded = (outputs[source] ??= { fields: {}, files: [] });
		for (const { json, binary = {} } of items) {
			for (const [field, value] of Object.entries(json)) recorded.fields[field] = kindOf(value);
			recorded.files = [...new Set([...recorded.files, ...Object.keys(binary)])];
		}
	};
	const run: Run = async (node, operationPath, given = {}, { as, items } = {}) => {
		const [operation, resource] = operationPath.split(' ').reverse();
		const parameters = { ...given, operation, ...(resource && { resource }) };
		const sentBefore = emulator.callsOf('submit', 'v1').length;
		const result = await runNode({ emulator, node, parameters, items });
		if (result.error) throw result.error;
		expect(result.failed).toEqual([]);
		const sends = emulator.callsOf('submit', 'v1').length > sentBefore;
		const isRefused = await isRefusedByTrigger(emulator, node, parameters);
		expect([node, operationPath, isRefused]).toEqual([node, operationPath, sends]);
		recordFields(`${node} ${operationPath}${as ? ` (${as})` : ''}`, result.items);
		return result.items;
	};

	await runModels(run);
	await runRequests(run, emulator, forwardService);
	const file = fileItem({ data: { bytes: Buffer.from('x') } });
	await run('segmindAsset', 'upload', {}, { items: [file] });
	await run('segmindCredits', 'get');
	await run('segmindCredits', 'getUsage');
	await runEndpoints(run);
	await runFineTunes(run);
	await runAccount(run, emulator);
	await pollEvents(run, recordFields, emulator);
	await deliverEvent(recordFields, emulator);
	return outputs;
}

/** Whether Segmind Trigger refuses to watch the account if this node follows: it must if the node sends requests. */
async function isRefusedByTrigger(emulator: Emulator, name: string, parameters: INodeParameters) {
	const nodeType = actionNode(name);
	const followers = [{ nodeType, node: { ...nodeOf({ parameters }, nodeType), name: 'After' } }];
	const trigger = new PollHost({ emulator, parameters: { event: 'requestFinished' }, followers });
	return await trigger.activate().then(
		() => false,
		() => true,
	);
}

async function runModels(run: Run) {
	const image = { name: 'image', type: 'json', jsonValue: '["https://example.com/a.png"]' };
	const sound = fileItem({ data: { bytes: Buffer.from('s'), mimeType: 'audio/mpeg' } });
	for (const { resource, operation, makes, question } of TASKS) {
		const more = makes === 'imageEdit' ? { additionalParameters: rows(image) } : {};
		const parameters = {
			prompt: 'a lighthouse',
			...(question && { images: 'data:image/png;base64,iVBORw0KGgo=', outputFormat: 'json' }),
			options: { ...options, ...more },
		};
		await run('segmind', `${resource} ${operation}`, parameters, { items: [sound] });
	}
	await run('segmind', 'model getMany', {
		search: 'nano banana',
		limit: 1,
		options: { includeParameters: true },
	});
}

async function runRequests(run: Run, emulator: Emulator, forwardService: (ms: number) => void) {
	const inputs = rows({ name: 'prompt', type: 'string', stringValue: 'a red shoe' });
	const workflow = { slug: 'product-photo', inputs, options };
	await run('segmindWorkflow', 'run', workflow);
	for (const [node, runOperation, resource] of [
		['segmind', 'model run', 'request '],
		['segmindWorkflow', 'run', ''],
	]) {
		const parameters = resource ? runParams() : workflow;
		// The request is still running during the next two calls, and finished afterwards.
		emulator.set({ jobMs: 60_000 });
		const submitted = { ...parameters, waitForCompletion: false, options: {} };
		const items = await run(node, runOperation, submitted, { as: 'not waiting' });
		await run(node, `${resource}getStatus`, { request }, { items });
		const notWaiting = { request, waitForCompletion: false };
		await run(node, `${resource}getResult`, notWaiting, { items, as: 'unfinished' });
		emulator.set({ jobMs: 0, queueMs: 0 });
		forwardService(70_000);
		await run(node, `${resource}getResult`, { request, options }, { items });
	}
}

async function runEndpoints(run: Run) {
	const [{ json }] = await run('segmindEndpoint', 'create', ENDPOINT);
	const endpointId = model(json.endpoint_id as string);
	await run('segmindEndpoint', 'getAll');
	await run('segmindEndpoint', 'update', { endpointId, updateFields: { workersMin: 1 } });
	await run('segmindEndpoint', 'delete', { endpointId });
}

async function runFineTunes(run: Run) {
	const [{ json }] = await run('segmindFineTune', 'job submit', submitJobParams());
	const finetuneId = model(json.finetune_id as string);
	await run('segmindFineTune', 'job get', { finetuneId });
	await run('segmindFineTune', 'job getAll');
	await run('segmindFineTune', 'job updateAccess', { finetuneId, segmindPublic: true });
	await run('segmindFineTune', 'dataset createUploadUrl', { name: 'shoes.zip' });
	await run('segmindFineTune', 'dataset upload', {}, { items: [fileItem(ZIP)] });
	await run('segmindFineTune', 'weight getDownloadUrl', { finetuneId });
}

async function runAccount(run: Run, { key: apiKey }: Emulator) {
	await run('segmindAccount', 'session getProfile');
	await run('segmindAccount', 'session refresh');
	await run('segmindAccount', 'apiKey getAll');
	const created = { verificationToken: 'check-1', name: 'robot' };
	const [{ json }] = await run('segmindAccount', 'apiKey create', created);
	await run('segmindAccount', 'apiKey rename', { apiKey, name: 'other' });
	await run('segmindAccount', 'apiKey setModelAccess', { apiKey, modelAccessMode: 'clear' });
	await run('segmindAccount', 'apiKey delete', { apiKey: json.api_key as string });
}

async function pollEvents(run: Run, recordFields: RecordFields, emulator: Emulator) {
	const submitted = runParams({ waitForCompletion: false });
	const [{ json }] = await run('segmind', 'model run', submitted, { as: 'not waiting' });
	const requests = json.request_id as string;
	await run('segmind', 'request getResult', { request: requests, options });
	await run('segmind', 'request getMany');
	const events: Array<[string, INodeParameters]> = [
		['requestFinished account', {}],
		['requestFinished requests', { requests }],
		['fineTuneStatusChanged', {}],
		['creditsBelow', { threshold: 1_000_000 }],
	];
	for (const [eventPath, more] of events) {
		const [event, watch] = eventPath.split(' ');
		const parameters = { event, ...(watch && { watch }), ...more };
		recordFields(
			`segmindTrigger ${eventPath}`,
			await new PollHost({ emulator, parameters }).fetchTestEvent(),
		);
	}
}

/** Delivers an event that Segmind confirms, and one to the test URL, which isn't confirmed. */
async function deliverEvent(recordFields: RecordFields, emulator: Emulator) {
	const host = await hostTrigger({ emulator, parameters: { confirmWithSegmind: true } });
	try {
		const body = {
			event_type: 'AVAILABLE',
			finetune_id: await submitFineTune(emulator, 'shoes'),
			trained_model_url: 'https://example.com/model',
			inference_api_url: 'https://example.com/v1/job-1',
		};
		await host.deliver({ body });
		await host.deliver({ body, test: true });
		await host.whenIdle();
		expect(host.errors).toEqual([]);
		expect(host.executions).toHaveLength(2);
		const items = host.executions.map((json: IDataObject) => ({ json }));
		recordFields('segmindFineTuneTrigger AVAILABLE', items);
	} finally {
		await host.close();
	}
}

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'list' : typeof value;
}
