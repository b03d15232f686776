import { post } from '../../emulator/sampleCalls';
import type { WorkflowRun } from '../engineProcess/messages';
import type { Bench, Line, Row } from '../row';
import { credentialsOf, download, http, inRow, made, ours, prompts, single } from '../workflows';

const MB = 1024 * 1024;
const TARGET_MB = 80;
/** A process grows at its first larger file by an amount that doesn't depend on the file. */
const WARM_UP_MB = 10;
const VIDEO_MODEL = 'seedance-2.0';

/** Prepares the emulator for a transfer of this many bytes, and returns the workflow that does it. */
type Transfer = (bench: Bench, bytes: number) => Promise<WorkflowRun>;

export const bigFiles: Row = {
	name: 'bigFiles',
	about: 'a file of 200 MB up and down: growth of memory',
	async measure(bench) {
		const megabytes = bench.quick ? 25 : 200;
		const compare = async (
			what: string,
			transfer: Transfer,
			name: string,
			stock: Transfer,
		): Promise<Line> => {
			const own = await moved(bench, transfer, megabytes, bench.times(3));
			return {
				measure: `${megabytes} MB ${what}: memory growth`,
				unit: 'MB',
				...own,
				target: TARGET_MB,
				rivals: [{ name, ...(await moved(bench, stock, megabytes, bench.times(2))) }],
				headline: true,
				drawn: true,
			};
		};
		return {
			lines: [
				await compare('up (Asset)', upload, 'HTTP Request, as base64', stockUpload),
				await compare('down (result)', result, 'HTTP Request', stockDownload),
			],
		};
	},
};

const upload: Transfer = async ({ emulator }, fileBytes) => {
	await emulator.begin({});
	const parameters = { operation: 'upload' };
	return {
		...single(emulator, [], made('Segmind', 'n8n-nodes-segmind.segmindAsset', 1, parameters)),
		fileBytes,
	};
};

/** The upload API takes data URLs in JSON: Extract from File makes base64 of the file, HTTP Request sends it. */
const stockUpload: Transfer = async ({ emulator }, fileBytes) => {
	await emulator.begin({});
	const nodes = [
		made('Extract', 'n8n-nodes-base.extractFromFile', 1, {
			operation: 'binaryToPropery',
			binaryPropertyName: 'data',
			destinationKey: 'data',
			options: {},
		}),
		http('Upload', {
			method: 'POST',
			url: `${emulator.urls.upload}/upload-asset`,
			sendHeaders: true,
			headerParameters: {
				parameters: [{ name: 'accept', value: 'application/json, text/plain, */*' }],
			},
			sendBody: true,
			specifyBody: 'json',
			jsonBody: "={{ { data_urls: ['data:video/mp4;base64,' + $json.data] } }}",
		}),
	];
	const credentials = credentialsOf(emulator);
	return { nodes, connections: inRow(nodes), items: [], credentials, fileBytes };
};

const result: Transfer = async (bench, fileBytes) => {
	const { requestId } = await finishedJob(bench, fileBytes);
	const parameters = { resource: 'request', operation: 'getResult', request: requestId };
	return ours(bench.emulator, { items: prompts(1) }, parameters);
};

const stockDownload: Transfer = async (bench, fileBytes) => {
	const { files } = await finishedJob(bench, fileBytes);
	return single(bench.emulator, prompts(1), download('Download', files[0]));
};

/** A finished job whose file has this many bytes. */
async function finishedJob({ emulator }: Bench, fileBytes: number) {
	await emulator.begin({ jobMs: 0, fileBytes });
	await post(emulator, `${emulator.urls.api}/v2/${VIDEO_MODEL}`, { prompt: 'load' });
	const [job] = (await emulator.readState()).jobs;
	return job;
}

/** What the transfers took, each in a fresh process: highest resident memory over what it was before, MB. */
async function moved(bench: Bench, transfer: Transfer, megabytes: number, times: number) {
	const values: number[] = [];
	try {
		for (let at = 0; at < times; at++) {
			const { items, error, rssGrowth } = await bench.withEngine(async (engine) => {
				await engine.run(await transfer(bench, WARM_UP_MB * MB));
				return await engine.run(await transfer(bench, megabytes * MB));
			});
			if (items !== 1) throw new Error(error);
			values.push(rssGrowth / MB);
		}
		return { values };
	} catch (error) {
		// Some run out of memory: that is a result too.
		return { values, note: `fails: ${(error as Error).message.split('\n')[0]}` };
	}
}
