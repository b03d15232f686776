import express, { Router, type RequestHandler } from 'express';
import { z } from 'zod';
import { countsOf } from '../callKinds';
import { submitElsewhere } from '../elsewhere';
import type { Service } from '../service';
import { originNames, type CallKind, type FaultSpec, type Json, type Orders } from '../types';

const number = z.number();
const count = z.number().int().min(0);

const listPlace = z.enum(['array', 'object', 'data', 'afterErrors']);

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
				sendReset: z.boolean().optional(),
				reset: z.enum(['iso', 'epoch', 'retryAfter', 'none']).optional(),
			})
			.strict()
			.nullable(),
		clockAheadMs: number,
		recordMs: number,
		fileMs: number,
		history: z.boolean(),
		historyRecord: z.enum(['record', 'data', 'rows']),
		historyBody: z.enum(['object', 'text']),
		historyOrder: z.enum(['asked', 'newestFirst', 'oldestFirst', 'mixed']),
		historyLateMs: number,
		historyModelFilter: z.enum(['equal', 'contains', 'ignored']),
		historyPageRows: count.min(1).nullable(),
		historyDates: z.enum(['iso', 'isoWithoutZone', 'gmt', 'epochSeconds', 'epochMs']),
		historyOfWorkflows: z.boolean(),
		modelList: z.boolean(),
		modelListPlace: z.enum(['usual', 'array', 'models', 'data']),
		modelParameters: z.enum([
			'full',
			'missing',
			'null',
			'list',
			'textDefaults',
			'unknown',
			'hostile',
		]),
		hiddenModels: z.array(z.string()),
		extraModels: count,
		hostileModels: z.boolean(),
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
				'outputEmptyText',
				'outputEmptyList',
				'outputEmptyObject',
				'allNull',
				'unnamed',
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
		failedStatus: z.union([z.literal(200), z.literal(400), z.literal(422), z.literal(500)]),
		failedReason: z.enum(['result', 'both']),
		failedId: z.boolean(),
		failedError: z.enum(['default', 'text', 'object']),
		v1Shape: z.enum(['bytes', 'base64', 'base64Array', 'videoUrl', 'sam3']).nullable(),
		v1ContentType: z.string().nullable(),
		workflowOutput: z.enum(['text', 'array', 'broken']),
		requestUrls: z.enum(['all', 'pollOnly', 'none']),
		pollAnswer: z.enum(['result', 'status']),
		workflowUrls: z.enum(['all', 'pollOnly', 'none', 'generic', 'older']),
		deniedModels: z.array(z.string()),
		media: z.enum(['tiny', 'real']),
		fileBytes: count.nullable(),
		toldFileBytes: count.nullable(),
		creditForm: z.enum(['numbers', 'text', 'null', 'missing']),
		endpointList: listPlace,
		deletionsWork: z.boolean(),
		datasetAddress: z.enum(['web', 's3']),
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
		refreshAnswer: z.enum(['access_token', 'accessToken', 'token', 'data', 'text', 'unusable']),
		sessionScope: z.enum(['full', 'read']),
		unknownKey: z.enum(['not_found', 'invalid_api_key']),
		keyList: listPlace,
		cachePurged: z.boolean(),
		cachePurgedForm: z.enum(['flag', 'text', 'nested', 'absent']),
		modelAccessStatus: z.union([z.literal(200), z.literal(202)]).nullable(),
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
const state = z.enum(['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']);
const headers = z.record(z.string());

const jsonValue: z.ZodType<Json> = z.lazy(() =>
	z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(jsonValue), z.record(jsonValue)]),
);

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
					state: z.union([state, z.array(state)]),
				})
				.partial()
				.strict(),
		]),
		times: z.union([count, z.literal('always')]).optional(),
		after: count.optional(),
		perRequest: z.boolean().optional(),
		do: z.union([
			z.enum([
				'dropBeforeAccept',
				'dropAfterAccept',
				'hang',
				'hangAfterAccept',
				'notFound',
				'halfHead',
				'endless',
				'gzipCut',
			]),
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
					afterMs: number.optional(),
				})
				.strict(),
			z.object({ dropInBody: count }).strict(),
			z.object({ stopReading: count }).strict(),
			z.object({ dropAfterMs: number }).strict(),
			z.object({ delayMs: number }).strict(),
			z.object({ truncate: count }).strict(),
			z.object({ stall: count }).strict(),
			z.object({ trickleMs: number }).strict(),
			z.object({ dripMs: number }).strict(),
			z.object({ gzipBomb: count }).strict(),
			z
				.object({
					rewrite: z
						.object({
							status: z.number().int().min(200).max(599),
							without: z.array(z.string()),
							with: z.record(jsonValue),
							nulls: z.boolean(),
							cut: z.boolean(),
						})
						.partial()
						.strict(),
				})
				.strict(),
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

const elsewhereSchema = z
	.object({
		slug: z.string(),
		via: z.enum(['v2', 'v1']).optional(),
		input: z.record(z.unknown()),
		submittedAt: number.optional(),
		durationMs: number.optional(),
		lateMs: number.optional(),
		failure: z.string().optional(),
		user: z.string().optional(),
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
	router.post(
		'/__control/elsewhere',
		json,
		ordered<z.infer<typeof elsewhereSchema>>(elsewhereSchema, (request) => {
			service.moments.at(() => submitElsewhere(service, request));
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
		const jobs = service.moments.at(() => service.jobs.views());
		response.json({
			urls: service.urls,
			orders: service.orders,
			calls: service.calls,
			counts: countsOf(service.calls),
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
