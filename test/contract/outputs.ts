/** Runs each operation and each event once against the emulator, and notes down what its items hold. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../dev/emulator';
import { fileItem, runNode } from '../helpers/runNode';
import { PollHost, hostTrigger } from '../helpers/triggers';
import { TASKS } from '../../nodes/Segmind/tasks';
import { ENDPOINT } from '../helpers/endpoint';
import { model, rows } from '../helpers/inference';
import type { Contract } from './extract';

const FAST = { pollIntervalSeconds: 0.05 };
const REQUEST = '={{ $json }}';
const ZIP = {
	data: {
		bytes: Buffer.from('PK\u0003\u0004'),
		mimeType: 'application/zip',
		fileName: 'shoes.zip',
	},
};

/** Every output, by `node <name> <operation>`: each top-level field with its kind, each binary field. */
export async function outputContract(emulator: Emulator): Promise<Contract> {
	const noted: Contract = {};
	const note = (what: string, items: INodeExecutionData[]) => {
		if (items.length === 0) throw new Error(`${what} has no output`);
		for (const { json, binary } of items) {
			for (const [field, value] of Object.entries(json))
				noted[`${what} output ${field}`] = kindOf(value);
			for (const field of Object.keys(binary ?? {})) noted[`${what} binary ${field}`] = 'file';
		}
	};
	/** Runs an operation; `as` says what is special about it. */
	const run = async (
		node: string,
		operation: string,
		parameters: INodeParameters = {},
		{
			as = '',
			items,
			isGood = true,
		}: { as?: string; items?: INodeExecutionData[]; isGood?: boolean } = {},
	) => {
		const result = await runNode({
			emulator,
			node,
			parameters: { ...parameters, operation: operation.split(' ').at(-1)! },
			items,
			...(!isGood && { onError: 'continueRegularOutput' }),
		});
		if (result.error) throw result.error;
		note(`node ${node} ${operation}${as && ` (${as})`}`, result.items);
		return result.items;
	};

	await runRequests(run, emulator);
	await run(
		'segmindAsset',
		'upload',
		{},
		{ items: [fileItem({ data: { bytes: Buffer.from('x') } })] },
	);
	await run('segmindCredits', 'get');
	await run('segmindCredits', 'getUsage');
	await runEndpoints(run);
	await runFineTunes(run);
	await runAccount(run, emulator);
	await pollEvents(run, note, emulator);
	await deliverEvent(note, emulator);
	return noted;
}

type Run = (
	node: string,
	operation: string,
	parameters?: INodeParameters,
	more?: { as?: string; items?: INodeExecutionData[]; isGood?: boolean },
) => Promise<INodeExecutionData[]>;

async function runRequests(run: Run, emulator: Emulator) {
	const picture = {
		resource: 'model',
		model: model('nano-banana-pro'),
		prompt: 'a lighthouse',
		options: FAST,
	};
	for (const { resource, operation } of TASKS)
		await run('segmind', `${resource} ${operation}`, {
			resource,
			prompt: 'a lighthouse',
			options: {
				...FAST,
				...(operation === 'edit' && {
					additionalParameters: rows({
						name: 'image',
						type: 'json',
						jsonValue: '["https://example.com/a.png"]',
					}),
				}),
			},
		});
	const cases: Array<[string, INodeParameters]> = [
		['not simplified', { simplify: false }],
		['in one call', { options: { ...FAST, answerInOneCall: true } }],
		[
			'several files',
			{
				model: model('seedream-4'),
				options: {
					...FAST,
					additionalParameters: rows({ name: 'max_images', type: 'number', numberValue: 2 }),
				},
			},
		],
		['with the input item', { options: { ...FAST, includeInputItem: true } }],
	];
	for (const [as, more] of cases)
		await run('segmind', 'model run', { ...picture, ...more }, { as });
	await run(
		'segmind',
		'model run',
		{ ...picture, model: model('nope') },
		{ as: 'failed', isGood: false },
	);
	const workflow = {
		slug: 'product-photo',
		inputs: rows({ name: 'prompt', type: 'string', stringValue: 'a red shoe' }),
		options: FAST,
	};
	await run('segmindWorkflow', 'run', workflow);
	for (const [node, parameters] of [
		['segmind', picture],
		['segmindWorkflow', workflow],
	] as const) {
		// Still running when it is asked, and finished afterwards.
		emulator.set({ jobMs: 5_000 });
		const isModel = node === 'segmind';
		const items = await run(
			node,
			isModel ? 'model run' : 'run',
			{ ...parameters, waitForCompletion: false, options: {} },
			{ as: 'not waiting' },
		);
		const of = (operation: string) => (isModel ? `request ${operation}` : operation);
		const request = { request: REQUEST, ...(isModel && { resource: 'request' }) };
		await run(node, of('getStatus'), request, { items });
		await run(
			node,
			of('getResult'),
			{ ...request, waitForCompletion: false },
			{ items, as: 'unfinished' },
		);
		emulator.set({ jobMs: 0, queueMs: 0 });
		await run(node, of('getResult'), { ...request, options: FAST }, { items });
	}
}

async function runEndpoints(run: Run) {
	const [{ json }] = await run('segmindEndpoint', 'create', ENDPOINT);
	const endpointId = model(json.endpoint_id as string);
	await run('segmindEndpoint', 'getAll');
	await run('segmindEndpoint', 'update', { endpointId, updateFields: { workersMin: 1 } });
	await run('segmindEndpoint', 'delete', { endpointId });
}

const TRAINING = {
	variant: 'fluxPro',
	name: 'sneakers',
	dataSourcePath: 'https://example.com/sneakers.zip',
	instancePrompt: 'a photo of TOK sneakers',
};

async function runFineTunes(run: Run) {
	const [{ json }] = await run('segmindFineTune', 'job submit', { resource: 'job', ...TRAINING });
	const finetuneId = model(json.finetune_id as string);
	await run('segmindFineTune', 'job get', { resource: 'job', finetuneId });
	await run('segmindFineTune', 'job getAll', { resource: 'job' });
	await run('segmindFineTune', 'job updateAccess', {
		resource: 'job',
		finetuneId,
		segmindPublic: true,
	});
	await run('segmindFineTune', 'dataset createUploadUrl', {
		resource: 'dataset',
		variant: 'fluxPro',
		name: 'shoes.zip',
	});
	await run(
		'segmindFineTune',
		'dataset upload',
		{ resource: 'dataset', variant: 'fluxPro' },
		{ items: [fileItem(ZIP)] },
	);
	await run('segmindFineTune', 'weight getDownloadUrl', { resource: 'weight', finetuneId });
}

async function runAccount(run: Run, { key }: Emulator) {
	const apiKey = { resource: 'apiKey', apiKey: key };
	await run('segmindAccount', 'session getProfile', { resource: 'session' });
	await run('segmindAccount', 'session refresh', { resource: 'session' });
	await run('segmindAccount', 'apiKey getAll', { resource: 'apiKey' });
	const [{ json }] = await run('segmindAccount', 'apiKey create', {
		resource: 'apiKey',
		verificationToken: 'check-1',
		name: 'robot',
	});
	await run('segmindAccount', 'apiKey rename', { ...apiKey, name: 'other' });
	await run('segmindAccount', 'apiKey setModelAccess', { ...apiKey, modelAccessMode: 'clear' });
	await run('segmindAccount', 'apiKey delete', {
		resource: 'apiKey',
		apiKey: json.api_key as string,
	});
	await run('segmindAccount', 'signIn getUrl', { resource: 'signIn', provider: 'google' });
	await run('segmindAccount', 'signIn requestEmailLink', {
		resource: 'signIn',
		email: 'a@example.com',
		verificationToken: 'check-2',
	});
}

async function pollEvents(
	run: Run,
	note: (what: string, items: INodeExecutionData[]) => void,
	emulator: Emulator,
) {
	const requests = (
		await run(
			'segmind',
			'model run',
			{
				resource: 'model',
				model: model('nano-banana-pro'),
				prompt: 'x',
				waitForCompletion: false,
			},
			{ as: 'not waiting' },
		)
	).map(({ json }) => json.request_id);
	await run('segmind', 'request getResult', {
		resource: 'request',
		request: requests[0] as string,
		options: FAST,
	});
	await run('segmind', 'request getMany', { resource: 'request' });
	const events: INodeParameters[] = [
		{ event: 'requestFinished', watch: 'account' },
		{
			event: 'requestFinished',
			watch: 'requests',
			requests: requests.join(),
			options: { downloadOutput: true },
		},
		{ event: 'fineTuneStatusChanged' },
		{ event: 'creditsBelow', threshold: 1_000_000 },
	];
	for (const parameters of events) {
		const items = await new PollHost({ emulator, parameters }).sample();
		note(
			`node segmindTrigger ${Object.values(parameters)
				.slice(0, parameters.watch ? 2 : 1)
				.join(' ')}`,
			items,
		);
	}
}

async function deliverEvent(
	note: (what: string, items: INodeExecutionData[]) => void,
	emulator: Emulator,
) {
	const host = await hostTrigger({ emulator });
	try {
		await host.deliver({
			body: {
				event_type: 'AVAILABLE',
				finetune_id: 'job-1',
				trained_model_url: 'https://example.com/model',
				inference_api_url: 'https://example.com/v1/job-1',
			},
		});
		await host.idle();
		note(
			'node segmindFineTuneTrigger AVAILABLE',
			host.executions.map((json: IDataObject) => ({ json })),
		);
	} finally {
		await host.close();
	}
}

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'list' : typeof value;
}
