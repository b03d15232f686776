/**
 * Stands in for the services that recipes use besides Segmind: Slack, Google Sheets and Google Drive. n8n's own nodes call them as always, and
 * `loopbackOnly.cjs` redirects the calls to here.
 */
/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { createListener } from '../emulator/listener';

interface OtherCall {
	host: string;
	method: string;
	/** The path with the query. */
	path: string;
	body: Buffer;
}

/** Creates what the services store. */
function createContents() {
	return {
		/** The cells of the one sheet, header first. Set it before a run. */
		sheet: [] as string[][],
		/** Files uploaded to Drive and Slack. */
		files: [] as Buffer[],
		/** Messages in Slack, and the comments of files. */
		messages: [] as unknown[],
		/** Calls that no route matches. */
		problems: [] as string[],
	};
}

interface ServiceResponse {
	json: unknown;
	headers?: Record<string, string>;
}

/** n8n's calls to each service, by host, method and path. Any other call gets a 404. */
const ROUTES: Array<
	[RegExp, (services: ReturnType<typeof createContents>, call: OtherCall) => ServiceResponse]
> = [
	[
		/^slack\.com GET \/api\/files\.getUploadURLExternal/,
		() => ok({ upload_url: 'https://files.slack.com/new', file_id: 'F1' }),
	],
	[/^files\.slack\.com POST/, (services, { body }) => (services.files.push(body), ok({}))],
	[
		/^slack\.com POST \/api\/(files\.completeUploadExternal|chat\.postMessage)/,
		(services, { body }) => {
			const message = JSON.parse(body.toString()) as object;
			services.messages.push(message);
			return ok({ files: [{ id: 'F1' }], ...message, ts: '1.0' });
		},
	],
	[
		/^sheets.*GET \/v4\/spreadsheets\/[^/]+\?fields/,
		() => ({ json: { sheets: [{ properties: { sheetId: 0, title: 'Sheet1' } }] } }),
	],
	[
		/^sheets.*GET \/v4\/spreadsheets\/[^/]+\/values\//,
		({ sheet }) => ({ json: { values: sheet } }),
	],
	[
		/^sheets.*POST \/v4\/spreadsheets\/[^/]+\/values:batchUpdate/,
		({ sheet }, { body }) => {
			const { data } = JSON.parse(body.toString()) as { data: CellUpdate[] };
			for (const update of data) writeCell(sheet, update);
			return { json: {} };
		},
	],
	[
		/^www\.googleapis\.com POST \/upload\/drive/,
		() => ({ json: {}, headers: { location: 'https://www.googleapis.com/upload/new' } }),
	],
	[
		/^www\.googleapis\.com PUT/,
		(services, { body }) => ({ json: { id: `file-${services.files.push(body)}` } }),
	],
	[
		/^www\.googleapis\.com PATCH \/drive\/v3\/files\//,
		(_services, { path }) => ({ json: { id: /files\/([^?]+)/.exec(path)?.[1] } }),
	],
];

const ok = (more: object): ServiceResponse => ({ json: { ok: true, ...more } });

interface CellUpdate {
	/** Such as `Sheet1!B7`. */
	range: string;
	values: string[][];
}

function writeCell(sheet: string[][], { range, values }: CellUpdate): void {
	const [, column, row] = /!([A-Z])(\d+)/.exec(range) as unknown as [string, string, string];
	(sheet[Number(row) - 1] ??= [])[column.charCodeAt(0) - 65] = values[0][0];
}

export type OtherServices = Awaited<ReturnType<typeof startOtherServices>>;

export async function startOtherServices() {
	const contents = createContents();
	const server = createListener(async (request, response) => {
		const call = await readCall(request);
		const line = `${call.host} ${call.method} ${call.path}`;
		const route = ROUTES.find(([pattern]) => pattern.test(line));
		if (!route) {
			contents.problems.push(line);
			return void response.writeHead(404).end('{}');
		}
		const { json, headers } = route[1](contents, call);
		response.writeHead(200, { 'content-type': 'application/json', ...headers });
		response.end(JSON.stringify(json));
	});
	await server.listen();
	return Object.assign(contents, { port: server.port, close: async () => await server.stop() });
}

async function readCall(request: IncomingMessage): Promise<OtherCall> {
	const { method = '', url: path = '', headers } = request;
	return { host: headers.host ?? '', method, path, body: await buffer(request) };
}
