import { post } from '../emulator/sampleCalls';
import type { WorkflowRun } from './engineProcess/engine';
import type { Bench, Result, Row } from './row';
import {
	downloadNode,
	httpRequestNode,
	chainNodes,
	createNode,
	segmindWorkflow,
	promptItems,
	singleNodeWorkflow,
} from './workflows';

const MB = 1024 * 1024;
const FILE_MB = 200;
const TIMES = 3;
/** The size of a first file, which isn't measured: a process grows at its first transfer, whatever the file's size. */
const WARM_UP_MB = 10;
const VIDEO_MODEL = 'seedance-2.0';

/** Prepares the emulator for a transfer of this many bytes, and returns the workflow that makes the transfer. */
type Transfer = (bench: Bench, bytes: number) => Promise<WorkflowRun>;

export const files: Row = {
	name: 'files',
	async measure(bench) {
		const compare = async (what: string, ours: Transfer, name: string, stock: Transfer) => ({
			measure: `${FILE_MB} MB ${what}: memory growth`,
			unit: 'MB' as const,
			...(await measureTransfer(bench, ours)),
			rivals: [{ name, ...(await measureTransfer(bench, stock)) }],
		});
		return [
			await compare('up (Asset)', upload, 'HTTP Request, as base64', stockUpload),
			await compare('down (result)', result, 'HTTP Request', stockDownload),
		];
	},
};

const upload: Transfer = async ({ emulator }, fileBytes) => {
	await emulator.begin({});
	const parameters = { operation: 'upload' };
	return {
		...singleNodeWorkflow(
			emulator,
			[],
			createNode('Segmind', 'n8n-nodes-segmind.segmindAsset', 1, parameters),
		),
		fileBytes,
	};
};

/** Uploads with n8n's own nodes: Extract from File converts the file to base64, and HTTP Request sends it as a data URL in JSON. */
const stockUpload: Transfer = async ({ emulator }, fileBytes) => {
	await emulator.begin({});
	const nodes = [
		createNode('Extract', 'n8n-nodes-base.extractFromFile', 1, {
			operation: 'binaryToPropery',
			binaryPropertyName: 'data',
			destinationKey: 'data',
			options: {},
		}),
		httpRequestNode(emulator, 'Upload', {
			method: 'POST',
			url: `${emulator.urls.upload}/upload-asset`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: "={{ { data_urls: ['data:video/mp4;base64,' + $json.data] } }}",
		}),
	];
	const credential = emulator.credentials;
	return { nodes, connections: chainNodes(nodes), items: [], credential, fileBytes };
};

const result: Transfer = async (bench, fileBytes) => {
	const { requestId } = await finishedJob(bench, fileBytes);
	const parameters = { resource: 'request', operation: 'getResult', request: requestId };
	return segmindWorkflow(bench.emulator, { items: promptItems(1) }, parameters);
};

const stockDownload: Transfer = async (bench, fileBytes) => {
	const { files } = await finishedJob(bench, fileBytes);
	return singleNodeWorkflow(bench.emulator, promptItems(1), downloadNode('Download', files[0]));
};

/** Returns a finished job whose file has this many bytes. */
async function finishedJob({ emulator }: Bench, fileBytes: number) {
	await emulator.begin({ jobMs: 0, fileBytes });
	await post(emulator, `${emulator.urls.api}/v2/${VIDEO_MODEL}`, { prompt: 'load' });
	const [job] = (await emulator.readState()).jobs;
	return job;
}

/** Measures by how many MB resident memory grows at most during a transfer, several times, each time in a new process. */
async function measureTransfer(bench: Bench, transfer: Transfer): Promise<Result> {
	const values: number[] = [];
	try {
		for (let at = 0; at < TIMES; at++) {
			const { items, error, rssGrowth } = await bench.withEngine(async (engine) => {
				await engine.run(await transfer(bench, WARM_UP_MB * MB));
				return await engine.run(await transfer(bench, FILE_MB * MB));
			});
			if (items !== 1) throw new Error(error);
			values.push(rssGrowth / MB);
		}
		return { values };
	} catch (error) {
		// Running out of memory is a result too.
		return { values: [], note: `fails: ${(error as Error).message.split('\n')[0]}` };
	}
}
