/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import express, { type Request, type RequestHandler, type Response } from 'express';
import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeType,
	IWebhookData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Agent, request } from 'undici';

import { alone, type Hooked } from './alone';
import { captureLog } from './log';

export type { Hooked };

export interface Delivery {
	/** Sent as JSON; text and bytes as they are. */
	body?: unknown;
	query?: string;
	headers?: Record<string, string>;
	method?: 'GET' | 'POST';
	/** To the test URL. */
	test?: boolean;
}

export type WebhookHost = Awaited<ReturnType<typeof hostWebhook>>;

/**
 * Hosts a webhook trigger as n8n does, on loopback: the body is read and parsed before the node, the node is called in n8n-core's
 * WebhookContext with the request and the response, static data is fetched for each delivery and saved after it, and what the node returns
 * becomes an execution. What n8n's server package does around that is written after its webhook-helpers and body parser.
 */
export async function hostWebhook(hooked: Hooked) {
	const { workflowId: id, load } = hooked;
	const agent = new Agent();
	/** JSON of the first item of each execution started, in order. */
	const executions: IDataObject[] = [];
	/** What webhook() threw; must stay empty. */
	const thrown: unknown[] = [];
	/** Warnings of the node. */
	const log: string[] = [];
	const restoreLog = captureLog(log, 'warn');
	let database = '{}';
	let nodeType = load();
	let running = 0;
	let isIdle = () => {};
	const webhook = (mode: WorkflowExecuteMode) => async (req: Request, res: Response) => {
		const staticData = JSON.parse(database) as IDataObject;
		const { context, workflow } = contextFor(hooked, nodeType, { mode, staticData, req, res });
		res.once('finish', () => releaseExpressions(workflow));
		running++;
		try {
			const result = await nodeType.webhook!.call(context);
			if (workflow.staticData.__dataChanged) database = JSON.stringify(workflow.staticData);
			const [first] = result.workflowData?.[0] ?? [];
			if (first) executions.push(first.json);
			if (!result.noWebhookResponse) res.json({ message: 'Workflow was started' });
		} catch (error) {
			thrown.push(error);
			if (!res.headersSent) res.status(500).json({ message: 'Error in workflow' });
		} finally {
			if (--running === 0) isIdle();
		}
	};
	const { origin, close } = await served(webhook);

	return {
		url: `${origin}/webhook/${id}/webhook`,
		executions,
		/** What n8n's database holds as the node's static data. */
		get stored() {
			return Object.values(JSON.parse(database) as Record<string, IDataObject>)[0] ?? {};
		},
		log,
		thrown,
		deliver: async ({ test = false, query = '', ...delivery }: Delivery) =>
			await post(`${origin}/webhook${test ? '-test' : ''}/${id}/webhook${query}`, agent, delivery),
		/** Resolves when no webhook() is running. */
		idle: async () => {
			if (running > 0) await new Promise<void>((resolve) => (isIdle = resolve));
		},
		/** Restarts n8n: the memory of the process is lost, the database stays. */
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

/** Serves the two kinds of webhook on loopback. */
async function served(webhook: (mode: WorkflowExecuteMode) => RequestHandler) {
	const app = express();
	app.post('/webhook/:id/webhook', readBody, parseBody, webhook('webhook'));
	app.post('/webhook-test/:id/webhook', readBody, parseBody, webhook('manual'));
	const server = app.listen(0, '127.0.0.1');
	// Sender and host share this process: while it is busy, neither may take a connection of the other for idle.
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

async function post(
	url: string,
	dispatcher: Agent,
	{ body, headers = {}, method = 'POST' }: Delivery,
) {
	const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
	const startedAt = Date.now();
	const answer = await request(url, {
		dispatcher,
		method,
		headers: { 'content-type': 'application/json', ...headers },
		body: isRaw || body === undefined ? body : JSON.stringify(body),
	});
	const json = jsonOr(await answer.body.text());
	const { statusCode: status, headers: told } = answer;
	return { status, json, headers: told, tookMs: Date.now() - startedAt };
}

interface Received {
	mode: WorkflowExecuteMode;
	staticData: IDataObject;
	req: Request;
	res: Response;
}

function contextFor(
	{ workflowId, node: nodeFor, credentials }: Hooked,
	nodeType: INodeType,
	{ mode, staticData, req, res }: Received,
) {
	const node = { ...nodeFor(nodeType), webhookId: workflowId };
	const one = { workflowId, nodeType, node, credentials, mode, staticData };
	const { workflow, surroundings } = alone(one);
	surroundings.httpRequest = req;
	surroundings.httpResponse = res;
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
		context: new WebhookContext(workflow, node, surroundings, mode, webhookData, [], null),
	};
}

/** Newer n8n releases the isolate that evaluates expressions as soon as the response has ended (its release-isolate-on-response). */
function releaseExpressions(workflow: Workflow): void {
	const released = () => {
		throw new Error('No bridge acquired for this context');
	};
	Object.assign(workflow.expression, {
		getParameterValue: released,
		getSimpleParameterValue: released,
		getComplexParameterValue: released,
		resolveSimpleParameterValue: released,
	});
}

/** n8n's rawBodyReader: the body as bytes, decompressed, up to its own limit. */
const readBody = express.raw({ type: () => true, limit: '16mb' });

/** n8n's body parser: JSON, forms and text by content type; malformed JSON is its own 422. */
function parseBody(req: Request, res: Response, next: () => void): void {
	const rawBody = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
	Object.assign(req, { rawBody });
	const type = req.headers['content-type'] ?? '';
	const text = rawBody.toString('utf8');
	if (text !== '' && /\bjson\b/.test(type)) {
		const parsed = jsonOr(text);
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

function jsonOr(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
