import type { INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../base/workflows';
import type { Emulator } from '../emulator';
import { renderMedia } from '../emulator/media/render';
import { post, submitFineTune } from '../emulator/sampleCalls';
import type { Mailbox } from './mailbox';
import type { N8nApi, Ref } from './n8nApi';
import type { OtherServices } from './otherServices';
import type { ScriptedModel } from './scriptedModel';

/** The token of the recipe for MCP clients. */
export const MCP_TOKEN = 'a-long-random-token';

/** The picture that `fillAccount` uploads. It's drawn once, because drawing takes seconds. */
let drawing: Promise<Buffer> | undefined;

/** Data for the examples that isn't in their files. */
export interface SampleData {
	/** The URL of a picture on the emulator. */
	picture: string;
}

/**
 * Adds what the examples expect to the emulated account: an endpoint to scale, a fine-tuned model to use, and an API key to replace.
 */
export async function fillAccount(emulator: Emulator): Promise<SampleData> {
	const { admin, upload } = emulator.urls;
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	await post(emulator, `${admin}/endpoint/add`, {
		endpoint_name: 'product-photos',
		model_name: 'flux-dev',
		workers_min: 0,
		workers_max: 1,
		idle_timeout: 60,
		execution_timeout: 600,
		scaler_type: 'REQUEST_COUNT',
		scaler_value: 1,
		gpu_id: 'AMPERE_80',
	});
	await submitFineTune(emulator, 'sneakers');
	emulator.apiKeys.push({
		...emulator.apiKeys[0],
		api_key: ['SG', 'fedcba9876543210'].join('_'),
		name: 'n8n (old)',
	});
	drawing ??= renderMedia({
		kind: 'image',
		text: 'A river between cliffs',
		quality: 'real',
	});
	const picture = await drawing;
	const { urls } = await post<{ urls: string[] }>(emulator, `${upload}/upload-asset`, {
		data_urls: [`data:image/png;base64,${picture.toString('base64')}`],
	});
	return { picture: urls[0] };
}

/** Creates the tables that recipes use: the Data Tables, and the sheet in the stand-in for Google. */
export async function createTables(
	n8n: N8nApi,
	services: OtherServices,
	{ picture }: SampleData,
): Promise<void> {
	const columns = ['prompt', 'status', 'request_id', 'url', 'note'];
	const prompts = [
		'A red fox in fresh snow',
		'A night market in the rain',
		'A tram on a steep street',
	];
	const rows = prompts.map((prompt) => ({ prompt }));
	await n8n.createDataTable('Pictures', columns, rows);
	const products = ['picture', 'title', 'alt_text', 'tags'];
	await n8n.createDataTable('Products', products, [{ picture }]);
	await createClientTables(n8n, { Acme: 1 });
	services.sheet = [columns, ...prompts.map((prompt) => [prompt, '', '', '', ''])];
}

/** Creates the tables of the recipe for clients. `quotas`: USD by client. Returns the table of orders. */
export async function createClientTables(
	n8n: N8nApi,
	quotas: Record<string, number>,
): Promise<Ref> {
	const clients = Object.entries(quotas).map(([client, quota]) => ({ client, quota }));
	await n8n.createDataTable('Segmind Clients', ['client', 'quota'], clients, ['quota']);
	return await n8n.createDataTable(
		'Segmind Orders',
		['client', 'prompt', 'amount', 'status'],
		[],
		['amount'],
	);
}

/** Returns an example changed so that it runs here: its picture is the emulator's, and its chat model uses the API that `scriptedModel.ts` has. */
export function makeRunnable(workflow: WorkflowFile, { picture }: SampleData): WorkflowFile {
	const changes: Record<string, INodeParameters> = {
		'Fetch Picture': { url: picture },
		'OpenAI Chat Model': { responsesApiEnabled: false },
	};
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => ({
			...node,
			parameters: { ...node.parameters, ...changes[node.name] },
		})),
	};
}

/** Creates the credentials for the emulator, with the names that the examples use. Returns them by type. */
export async function createCredentials(n8n: N8nApi, emulator: Emulator) {
	return {
		segmindApi: await n8n.createCredential('segmindApi', 'Segmind account', emulator.credentials),
		segmindSessionApi: await n8n.createCredential('segmindSessionApi', 'Segmind session', {
			...emulator.session,
			// n8n allows the calls that renew a session only to these domains.
			allowedDomains: '127.0.0.1',
		}),
	};
}

/** Creates the credentials for the agents' chat model and for the other services. Returns them by type. */
export async function createOtherCredentials(
	n8n: N8nApi,
	model: ScriptedModel,
	mailbox: Mailbox,
): Promise<Record<string, Ref>> {
	const google = {
		clientId: 'client',
		clientSecret: 'secret',
		oauthTokenData: { access_token: 'token', token_type: 'Bearer' },
	};
	const [sheets, drive] = ['googleSheetsOAuth2Api', 'googleDriveOAuth2Api'];
	return {
		openAiApi: await n8n.createCredential('openAiApi', 'OpenAI account', model.credential),
		smtp: await n8n.createCredential('smtp', 'SMTP account', mailbox.credential),
		httpBearerAuth: await n8n.createCredential('httpBearerAuth', 'Bearer Auth account', {
			token: MCP_TOKEN,
		}),
		slackApi: await n8n.createCredential('slackApi', 'Slack account', { accessToken: 'token' }),
		[sheets]: await n8n.createCredential(sheets, 'Google Sheets account', google),
		[drive]: await n8n.createCredential(drive, 'Google Drive account', google),
	};
}
