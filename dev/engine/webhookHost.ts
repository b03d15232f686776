/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import express, { type Request, type RequestHandler, type Response } from 'express';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeType,
	IWebhookData,
	Workflow,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Agent, request } from 'undici';

import { createTriggerWorkflow, type TriggerSetup } from './triggerWorkflow';
import { captureLog } from './log';

export interface Delivery {
	/** Text and bytes are sent unchanged, anything else as JSON. */
	body?: unknown;
	query?: string;
	headers?: Record<string, string>;
	method?: 'GET' | 'POST';
	/** Whether to send it to the test URL. */
	test?: boolean;
}

export type WebhookHost = Awaited<ReturnType<typeof hostWebhook>>;

/**
 * Hosts a webhook trigger on loopback as n8n does: it reads and parses the body, calls the node in n8n-core's WebhookContext with request and
 * response, loads static data for each delivery and saves it afterward, and records what the node returns as an execution. The parts around
 * n8n-core are modeled on webhook-helpers and the body parser in n8n's server package.
 */
export async function hostWebhook(setup: TriggerSetup) {
	const { workflowId: id, load } = setup;
	const agent = new Agent();
	/** JSON of the first item of each execution started, in order. */
	const executions: IDataObject[] = [];
	/** Errors that webhook() threw. Tests expect none. */
	const errors: unknown[] = [];
	/** Warnings that the node logged. */
	const log: string[] = [];
	const restoreLog = captureLog(log, 'warn');
	let database = '{}';
	let nodeType = load();
	let running = 0;
	let onIdle = () => {};
	const webhook = (mode: WorkflowExecuteMode) => async (req: Request, res: Response) => {
		const staticData = JSON.parse(database) as IDataObject;
		const { context, workflow } = createContext(setup, nodeType, { mode, staticData, req, res });
		res.once('finish', () => releaseExpressions(workflow));
		running++;
		try {
			const result = await nodeType.webhook!.call(context);
			if (workflow.staticData.__dataChanged) database = JSON.stringify(workflow.staticData);
			const [first] = result.workflowData?.[0] ?? [];
			if (first) executions.push(first.json);
			if (!result.noWebhookResponse) res.json({ message: 'Workflow was started' });
		} catch (error) {
			errors.push(error);
			if (!res.headersSent) res.status(500).json({ message: 'Error in workflow' });
		} finally {
			if (--running === 0) onIdle();
		}
	};
	const { origin, close } = await serve(webhook);

	return {
		url: `${origin}/webhook/${id}/webhook`,
		executions,
		/** The node's static data in n8n's database. */
		get storedStaticData() {
			return Object.values(JSON.parse(database) as Record<string, IDataObject>)[0] ?? {};
		},
		log,
		errors,
		/** Calls the node's hooks as n8n does each time that the workflow is activated or, with `manual`, waits at the test URL. @throws the error that prevents it */
		async activate(activation: WorkflowActivateMode = 'activate') {
			const mode = activation === 'manual' ? 'manual' : 'trigger';
			const { workflow, node, additionalData } = createWorkflow(setup, nodeType, { mode });
			const context = new HookContext(workflow, node, additionalData, mode, activation);
			const { checkExists, create } = nodeType.webhookMethods?.default ?? {};
			if (!(await checkExists?.call(context))) await create?.call(context);
		},
		deliver: async ({ test = false, query = '', ...delivery }: Delivery) =>
			await send(`${origin}/webhook${test ? '-test' : ''}/${id}/webhook${query}`, agent, delivery),
		/** Resolves when no webhook() is running. */
		whenIdle: async () => {
			if (running > 0) await new Promise<void>((resolve) => (onIdle = resolve));
		},
		/** Restarts n8n, which loses its memory but not its database. */
		restart() {
			nodeType = load();
		},
		async close() {
			restoreLog();
			await agent.destroy();
			await close();
		},
	};
}

/** Serves the production URL and the test URL on loopback. */
async function serve(webhook: (mode: WorkflowExecuteMode) => RequestHandler) {
	const app = express();
	app.post('/webhook/:id/webhook', readBody, parseBody, webhook('webhook'));
	app.post('/webhook-test/:id/webhook', readBody, parseBody, webhook('manual'));
	const server = app.listen(0, '127.0.0.1');
	// Sender and host share this process. While the process is busy, the host mustn't close an idle connection that the sender is about to use.
	server.keepAliveTimeout = 600_000;
	await once(server, 'listening');
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function send(
	url: string,
	dispatcher: Agent,
	{ body, headers = {}, method = 'POST' }: Delivery,
) {
	const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
	const startedAt = Date.now();
	const response = await request(url, {
		dispatcher,
		method,
		headers: { 'content-type': 'application/json', ...headers },
		body: isRaw || body === undefined ? body : JSON.stringify(body),
	});
	const json = tryParseJson(await response.body.text());
	const { statusCode: status, headers: responseHeaders } = response;
	return { status, json, headers: responseHeaders, tookMs: Date.now() - startedAt };
}

interface WebhookCall {
	mode: WorkflowExecuteMode;
	staticData: IDataObject;
	req: Request;
	res: Response;
}

function createWorkflow(
	{ workflowId, node: nodeFor, credentials }: TriggerSetup,
	nodeType: INodeType,
	state: { mode: WorkflowExecuteMode; staticData?: IDataObject },
) {
	const node = { ...nodeFor(nodeType), webhookId: workflowId };
	const options = { workflowId, nodeType, node, credentials, ...state };
	return { node, ...createTriggerWorkflow(options) };
}

function createContext(
	setup: TriggerSetup,
	nodeType: INodeType,
	{ mode, staticData, req, res }: WebhookCall,
) {
	const { workflowId } = setup;
	const { workflow, node, additionalData } = createWorkflow(setup, nodeType, { mode, staticData });
	additionalData.httpRequest = req;
	additionalData.httpResponse = res;
	const [webhookDescription] = nodeType.description.webhooks!;
	const webhookData: IWebhookData = {
		webhookDescription,
		node: node.name,
		workflowId,
		httpMethod: 'POST',
		path: 'webhook',
		workflowExecuteAdditionalData: {} as never,
	};
	return {
		workflow,
		context: new WebhookContext(workflow, node, additionalData, mode, webhookData, [], null),
	};
}

/** Makes expressions fail: as soon as the response has ended, newer n8n releases the isolate that evaluates them (release-isolate-on-response). */
function releaseExpressions(workflow: Workflow): void {
	const throwReleased = () => {
		throw new Error('No bridge acquired for this context');
	};
	Object.assign(workflow.expression, {
		getParameterValue: throwReleased,
		getSimpleParameterValue: throwReleased,
		getComplexParameterValue: throwReleased,
		resolveSimpleParameterValue: throwReleased,
	});
}

/** Reads the body as bytes and decompresses it, like n8n's rawBodyReader, with n8n's limit. */
const readBody = express.raw({ type: () => true, limit: '16mb' });

/** Parses JSON, forms and text by content type, like n8n's body parser, which responds to malformed JSON with a 422. */
function parseBody(req: Request, res: Response, next: () => void): void {
	const rawBody = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
	Object.assign(req, { rawBody });
	const type = req.headers['content-type'] ?? '';
	const text = rawBody.toString('utf8');
	if (text !== '' && /\bjson\b/.test(type)) {
		const parsed = tryParseJson(text);
		if (parsed === undefined) {
			res.status(422).json({ code: 422, message: 'Failed to parse request body' });
			return;
		}
		req.body = parsed;
	} else if (type.startsWith('application/x-www-form-urlencoded'))
		req.body = Object.fromEntries(new URLSearchParams(text));
	else if (type.startsWith('text/')) req.body = text;
	else req.body = {};
	next();
}

function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
