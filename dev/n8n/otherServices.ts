/**
 * Stands in for the services that recipes use besides Segmind: Slack, Google Sheets and Google Drive. n8n's own nodes call them as always, and
 * `loopbackOnly.cjs` redirects the calls to here.
 */
import express from 'express';

import { createListener } from '../emulator/listener';

const SLACK = '/slack.com/api';
const SHEETS = '/sheets.googleapis.com/v4/spreadsheets/:id';
const DRIVE = '/www.googleapis.com';

interface CellUpdate {
	/** Such as `Sheet1!B7`. */
	range: string;
	values: string[][];
}

export type OtherServices = Awaited<ReturnType<typeof startOtherServices>>;

export async function startOtherServices() {
	const contents = {
		/** The cells of the one sheet, header first. Set it before a run. */
		sheet: [] as string[][],
		/** Files uploaded to Drive and Slack. */
		files: [] as Buffer[],
		/** Messages in Slack, and the comments of files. */
		messages: [] as unknown[],
		/** Calls that no route matches. */
		problems: [] as string[],
	};
	const app = express();
	app.use((request, _response, next) => {
		request.url = `/${request.headers.host}${request.url}`;
		next();
	});
	// Files are of any type, and some have the type of JSON.
	app.use(
		/^\/(files\.slack\.com|www\.googleapis\.com)/,
		express.raw({ type: () => true, limit: '50mb' }),
	);
	app.use(express.json());
	app.get(`${SLACK}/files.getUploadURLExternal`, (_request, response) => {
		response.json({ ok: true, upload_url: 'https://files.slack.com/new', file_id: 'F1' });
	});
	app.post('/files.slack.com/new', ({ body }, response) => {
		contents.files.push(body as Buffer);
		response.json({ ok: true });
	});
	app.post(
		[`${SLACK}/files.completeUploadExternal`, `${SLACK}/chat.postMessage`],
		({ body }, response) => {
			contents.messages.push(body);
			response.json({ ok: true, files: [{ id: 'F1' }], ...(body as object), ts: '1.0' });
		},
	);
	app.get(SHEETS, (_request, response) => {
		response.json({ sheets: [{ properties: { sheetId: 0, title: 'Sheet1' } }] });
	});
	app.get(`${SHEETS}/values/:range`, (_request, response) => {
		response.json({ values: contents.sheet });
	});
	app.post(/^\/sheets.*\/values:batchUpdate$/, ({ body }, response) => {
		for (const update of (body as { data: CellUpdate[] }).data) writeCell(contents.sheet, update);
		response.json({});
	});
	app.post(`${DRIVE}/upload/drive/v3/files`, (_request, response) => {
		response.set({ location: 'https://www.googleapis.com/upload/new' }).json({});
	});
	app.put(`${DRIVE}/upload/new`, ({ body }, response) => {
		response.json({ id: `file-${contents.files.push(body as Buffer)}` });
	});
	app.patch(`${DRIVE}/drive/v3/files/:id`, ({ params: { id } }, response) => {
		response.json({ id });
	});
	app.use(({ method, url }, response) => {
		contents.problems.push(`${method} ${url}`);
		response.status(404).json({});
	});
	const server = createListener(app);
	await server.listen();
	return Object.assign(contents, { port: server.port, close: async () => await server.stop() });
}

function writeCell(sheet: string[][], { range, values }: CellUpdate): void {
	const [, column, row] = /!([A-Z])(\d+)/.exec(range) as unknown as [string, string, string];
	(sheet[Number(row) - 1] ??= [])[column.charCodeAt(0) - 65] = values[0][0];
}
