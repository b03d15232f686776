import express, { Router, type RequestHandler } from 'express';
import { z } from 'zod';
import type { Service } from '../service';
import { originNames, type CallKind, type FaultSpec, type Orders } from '../types';

const number = z.number();
const count = z.number().int().min(0);

/** The orders that can be told in JSON. */
const ordersSchema = z
	.object({
		queueMs: number,
		jobMs: number,
		v1Ms: number.nullable(),
		cost: number.nullable(),
		balance: z.object({ credits: number, freeCredits: number }).strict(),
		noCreditRecord: z.boolean(),
		rateLimit: z
			.object({
				perMinute: count,
				windowMs: number.positive().optional(),
				sendRemaining: z.boolean().optional(),
				reset: z.enum(['iso', 'epoch', 'retryAfter', 'none']).optional(),
			})
			.strict()
			.nullable(),
		recordMs: number,
		fileMs: number,
		history: z.boolean(),
		historyRecord: z.enum(['record', 'data', 'rows']),
		historyBody: z.enum(['object', 'text']),
		modelList: z.boolean(),
		uploadAnswer: z.enum(['urls', 'file_urls']),
		resultShape: z
			.enum([
				'images',
				'video',
				'videoArray',
				'audio',
				'outputUrl',
				'outputUrls',
				'outputJson',
				'outputObject',
				'outputNull',
			])
			.nullable(),
		metrics: z.enum(['full', 'missing', 'null', 'ms']),
		progressWord: z.string().nullable(),
		foreignUrls: z.union([
			z.boolean(),
			z.array(z.enum(['poll_url', 'status_url', 'response_url'])),
		]),
		failJobs: z.union([z.literal('all'), z.array(count)]),
		failText: z.string(),
		failedStatus: z.union([z.literal(422), z.literal(200)]),
		failedError: z.enum(['default', 'text', 'object']),
		v1Shape: z.enum(['bytes', 'base64', 'base64Array', 'videoUrl', 'sam3']).nullable(),
		v1ContentType: z.string().nullable(),
		workflowOutput: z.enum(['text', 'array', 'broken']),
		workflowUrls: z.enum(['all', 'pollOnly', 'generic']),
		deniedModels: z.array(z.string()),
		media: z.enum(['tiny', 'real']),
		fileBytes: count.nullable(),
		endpointList: z.enum(['array', 'object']),
		fineTuneOpen: z.boolean(),
		fineTuneStepMs: number,
		failFineTunes: z.union([z.literal('all'), z.array(count)]),
		webhooks: z
			.object({
				copies: count,
				lateMs: number,
				order: z.enum(['inOrder', 'reversed']),
				forged: z.boolean(),
				shape: z.enum(['flat', 'nested', 'callback']),
			})
			.partial()
			.strict(),
		rotateRefreshToken: z.boolean(),
		accessTokenMs: number,
		authPerMinute: count.nullable(),
		refreshesPerHour: count.nullable(),
		keyList: z.enum(['array', 'object']),
		cachePurged: z.boolean(),
	})
	.partial()
	.strict();

const kindNames: [CallKind, ...CallKind[]] = [
	'submit',
	'v1',
	'status',
	'result',
	'poll',
	'credits',
	'upload',
	'models',
	'history',
	'file',
	'endpoint',
	'finetune',
	'storage',
	'account',
	'console',
	'hostile',
	'other',
];
const kind = z.enum(kindNames);
const headers = z.record(z.string());

const faultSchema = z
	.object({
		on: z.union([
			kind,
			z.array(kind),
			z
				.object({
					kind: z.union([kind, z.array(kind)]),
					origin: z.enum(originNames),
					method: z.string(),
					path: z.string(),
				})
				.partial()
				.strict(),
		]),
		times: z.union([count, z.literal('always')]).optional(),
		after: count.optional(),
		do: z.union([
			z.enum(['dropBeforeAccept', 'dropAfterAccept', 'hang', 'hangAfterAccept']),
			z
				.object({
					redirect: z.string(),
					status: z
						.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)])
						.optional(),
				})
				.strict(),
			z
				.object({
					status: z.number().int().min(200).max(599),
					body: z.unknown(),
					headers: headers.optional(),
					accept: z.boolean().optional(),
				})
				.strict(),
			z.object({ delayMs: number }).strict(),
			z.object({ truncate: count }).strict(),
			z.object({ stall: count }).strict(),
			z
				.object({
					body: z.unknown(),
					contentType: z.string().optional(),
					headers: headers.optional(),
				})
				.strict(),
		]),
	})
	.strict();

/** Orders over HTTP, on the api origin: nothing here is recorded or asks for a key. */
export function controlRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	const json = express.json();
	const ordered = <T>(
		schema: z.ZodType<T, z.ZodTypeDef, unknown>,
		act: (value: T) => void,
	): RequestHandler => {
		return (request, response) => {
			const read = schema.safeParse(request.body);
			if (!read.success) {
				const problems = read.error.issues.map(
					(issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`,
				);
				response.status(400).json({ error: problems.join('; ') });
				return;
			}
			try {
				act(read.data);
			} catch (error) {
				response.status(400).json({ error: (error as Error).message });
				return;
			}
			response.json({ ok: true });
		};
	};
	router.post(
		'/__control/set',
		json,
		ordered<Partial<Orders>>(ordersSchema, (orders) => service.set(orders)),
	);
	router.post(
		'/__control/fault',
		json,
		ordered<z.infer<typeof faultSchema>>(faultSchema, (spec) => {
			service.faults.add(spec as FaultSpec);
		}),
	);
	const { webhooks } = service;
	router.post(
		'/__control/webhook',
		json,
		ordered(z.object({ url: z.string().nullable() }).strict(), ({ url }) => {
			if (url === null) webhooks.remove();
			else webhooks.register(url);
		}),
	);
	router.post('/__control/webhook/test', json, ordered(z.unknown(), webhooks.test));
	router.post('/__control/reset', (_request, response) => {
		service.reset();
		response.json({ ok: true });
	});
	router.get('/__control/state', (_request, response) => {
		const jobs = service.jobs.views();
		response.json({
			urls: service.urls,
			orders: service.orders,
			calls: service.calls,
			jobs,
			balance: service.ledger.balance,
			charged: service.ledger.charged,
			leaks: service.leaks,
			webhook: webhooks.url,
			deliveries: webhooks.deliveries,
		});
	});
	return router;
}
