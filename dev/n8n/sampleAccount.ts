import type { WorkflowFile } from '../base/workflows';
import type { Emulator } from '../emulator';
import { drawPicture } from '../emulator/media/picture';
import { post, submitFineTune } from '../emulator/sampleCalls';
import type { Mailbox } from './mailbox';
import type { N8nApi, Ref } from './n8nApi';
import type { OtherServices } from './otherServices';
import type { ScriptedModel } from './scriptedModel';

/** The picture of `fillAccount`; drawing it takes seconds. */
let drawn: Promise<Buffer> | undefined;

/** What an example needs that its file cannot bring along: the address of a picture on loopback. */
export interface Furnishing {
	picture: string;
}

/**
 * Puts into the emulated account what the examples look for: the endpoint that is scaled, the fine-tune that is used,
 * the key that is replaced. Gives what they need besides.
 */
export async function fillAccount(emulator: Emulator): Promise<Furnishing> {
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
	drawn ??= drawPicture('A river between cliffs', { width: 1280, height: 720 });
	const picture = await drawn;
	const { urls } = await post<{ urls: string[] }>(emulator, `${upload}/upload-asset`, {
		data_urls: [`data:image/png;base64,${picture.toString('base64')}`],
	});
	return { picture: urls[0] };
}

/** Makes what the recipes with tables need: the Data Table, and the sheet of the stand-in for Google. */
export async function createTables(n8n: N8nApi, services: OtherServices): Promise<void> {
	const columns = ['prompt', 'status', 'request_id', 'url', 'note'];
	const prompts = [
		'A red fox in fresh snow',
		'A night market in the rain',
		'A tram on a steep street',
	];
	const rows = prompts.map((prompt) => ({ prompt }));
	await n8n.createDataTable('Pictures', columns, rows);
	services.sheet = [columns, ...prompts.map((prompt) => [prompt, '', '', '', ''])];
}

/** The example ready to run: pictures come from the emulator instead of the internet. */
export function readyToRun(workflow: WorkflowFile, { picture }: Furnishing): WorkflowFile {
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.name === 'Fetch Picture'
				? { ...node, parameters: { ...node.parameters, url: picture } }
				: node,
		),
	};
}

/** Makes the credentials for the emulator, with the names that the examples use. Returns them by type. */
export async function createCredentials(n8n: N8nApi, emulator: Emulator) {
	return {
		segmindApi: await n8n.createCredential('segmindApi', 'Segmind account', emulator.credentials),
		segmindSessionApi: await n8n.createCredential('segmindSessionApi', 'Segmind session', {
			...emulator.session,
			// n8n holds the renewal of a session to this list.
			allowedDomains: '127.0.0.1',
		}),
	};
}

/** Makes the credentials of the agents' chat model and of the other services. Returns them by type. */
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
		slackApi: await n8n.createCredential('slackApi', 'Slack account', { accessToken: 'token' }),
		[sheets]: await n8n.createCredential(sheets, 'Google Sheets account', google),
		[drive]: await n8n.createCredential(drive, 'Google Drive account', google),
	};
}
