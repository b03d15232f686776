import type { Request, Router } from 'express';
import { z } from 'zod';
import { jobNumber, type Job } from '../jobs';
import type { Orders } from '../orders';
import { refuse } from '../refusal';
import { parameter, routerOf, withKey } from '../routing';
import type { Service } from '../service';

const dayMs = 24 * 3_600_000;
const longestSpanMs = 31 * dayMs;

/** A bare date means the whole day. */
const date = (endOfDay: boolean) =>
	z
		.string()
		.transform((text) => Date.parse(text) + (endOfDay && /^[\d-]{10}$/.test(text) ? dayMs - 1 : 0))
		.pipe(z.number());
const whole = (most: number) => z.coerce.number().int().min(1).max(most);

const historyQuery = z
	.object({
		page: z.coerce.number().int().min(0).max(1_000_000).default(1),
		per_page: whole(100).default(20),
		from_date: date(false),
		to_date: date(true),
		model_name: z.string(),
		status: z.enum(['COMPLETED', 'FAILED', 'PENDING']),
		sort_by: z.enum(['model_created', 'model_name', 'credits_deduction']).default('model_created'),
		sort_order: z.enum(['asc', 'desc']).default('desc'),
	})
	.partial({ from_date: true, to_date: true, model_name: true, status: true });
type HistoryQuery = z.infer<typeof historyQuery>;

/** One row per output file; a request without files has one row. */
type Row = Record<string, unknown>;

/** The request history (docs/service.md S260 to S264): every v1, v2 and workflow request, of any age. */
export function historyRoutes(service: Service): Router {
	const { orders, jobs } = service;
	const requireHistory = (): void => {
		if (!orders.history) refuse(404, 'Not found');
		jobs.settle();
	};
	return routerOf(
		withKey(service, {
			'/inference-request/request-history': {
				GET(request, response) {
					requireHistory();
					const query = readQuery(request);
					const found = [...jobs.all, ...jobs.elsewhere].filter(
						(job) => appears(service, job) && matches(service, job, query),
					);
					const rows = inOrder(found, query, orders.historyOrder).flatMap((job) =>
						rowsOf(service, job),
					);
					const perPage = Math.min(query.per_page, orders.historyPageRows ?? Infinity);
					const last = Math.max(Math.ceil(rows.length / perPage) - 1, 0);
					const start = placeOf(query.page, last, orders.historyPages) * perPage;
					response.json({
						data: rows.slice(start, start + perPage),
						page: query.page,
						per_page: query.per_page,
						total: rows.length,
					});
				},
			},
			'/inference-request/request-history/:id': {
				GET(request, response) {
					requireHistory();
					const id = parameter(request, 'id');
					const job = jobs.find(id);
					if (!job || !appears(service, job)) refuse(404, `Request ${id} not found`);
					const rows = rowsOf(service, job);
					const shape = orders.historyRecord;
					response.json(shape === 'record' ? rows[0] : { data: shape === 'data' ? rows[0] : rows });
				},
			},
		}),
	);
}

/** Which page is given, from 0; `last` is the number of the last one. */
function placeOf(page: number, last: number, counted: Orders['historyPages']): number {
	if (counted === 'ignored') return 0;
	if (counted === 'fromZero') return page;
	if (page === 0 && counted === 'failingAtZero') refuse(500, 'OFFSET must not be negative');
	if (page === 0) refuse(400, 'page is wrong: there is no such page.');
	return counted === 'clamped' ? Math.min(page - 1, last) : page - 1;
}

/** Whether the job appears in the history yet. */
function appears(service: Service, job: Job): boolean {
	const { historyOfWorkflows, historyLateMs } = service.orders;
	if (job.via === 'workflow' && !historyOfWorkflows) return false;
	const late = job.elsewhere ? (job.elsewhere.lateMs ?? 0) : jobNumber(historyLateMs, job);
	return service.now() >= job.submittedAt + late;
}

/** Newest first unless requested otherwise; or the ordered sequence, whatever was requested. */
function inOrder(found: Job[], query: HistoryQuery, order: Orders['historyOrder']): Job[] {
	const descending = order === 'asked' ? query.sort_order === 'desc' : order === 'newestFirst';
	const key = order === 'asked' ? query.sort_by : 'model_created';
	const sign = descending ? -1 : 1;
	found.sort((a, b) => sign * (compare(a, b, key) || a.index - b.index));
	return order === 'mixed' ? mixed(found.reverse()) : found;
}

/** Mixes in the same way each time, so that pages fit together and a run can be repeated. Takes the oldest first. */
function mixed(jobs: Job[]): Job[] {
	const knuth = 2_654_435_761;
	const key = new Map(jobs.map((job, at) => [job, ((at + 1) * knuth) % 2 ** 32]));
	return jobs.sort((a, b) => key.get(a)! - key.get(b)!);
}

function readQuery(request: Request): HistoryQuery {
	const { searchParams } = new URL(request.originalUrl, 'http://history');
	const { data, error } = historyQuery.safeParse(Object.fromEntries(searchParams));
	if (error) refuse(400, `${error.issues[0].path.join()} is wrong: ${error.issues[0].message}.`);
	if ((data.to_date ?? 0) - (data.from_date ?? Infinity) > longestSpanMs)
		refuse(400, 'The span may be 31 days at most.');
	return data;
}

function statusOf(service: Service, job: Job): string {
	const state = service.jobs.stateOf(job);
	return state === 'COMPLETED' || state === 'FAILED' ? state : 'PENDING';
}

function matches(service: Service, job: Job, query: HistoryQuery): boolean {
	const { from_date = -Infinity, to_date = Infinity, model_name, status } = query;
	if (job.submittedAt < from_date || job.submittedAt > to_date) return false;
	if (model_name !== undefined && !namedBy(model_name, job, service.orders)) return false;
	return status === undefined || status === statusOf(service, job);
}

function namedBy(modelName: string, { slug }: Job, { historyModelFilter }: Orders): boolean {
	if (historyModelFilter === 'ignored') return true;
	return historyModelFilter === 'contains' ? slug.includes(modelName) : slug === modelName;
}

function compare(a: Job, b: Job, key: HistoryQuery['sort_by']): number {
	if (key === 'model_name') return a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;
	return key === 'credits_deduction' ? a.cost - b.cost : a.submittedAt - b.submittedAt;
}

const iso = (time: number): string => new Date(time).toISOString();

function rowsOf(service: Service, job: Job): Row[] {
	const status = statusOf(service, job);
	const ended = status !== 'PENDING';
	const row: Row = {
		request_id: job.requestId,
		model_name: job.slug,
		model_status: status,
		credits_deduction: status === 'COMPLETED' ? job.cost : 0,
		request_body: job.input,
		generation_url: null,
		latency_ms: ended ? job.endsAt - job.submittedAt : null,
		created_at: iso(job.submittedAt),
		updated_at: iso(ended ? job.endsAt : job.submittedAt),
		error: status === 'FAILED' ? job.failure : null,
		...(job.elsewhere?.user !== undefined && { user_email: job.elsewhere.user }),
	};
	const changed = service.orders.historyRow?.(row, job.endsAt) ?? row;
	if (status !== 'COMPLETED' || job.files.length === 0) return [changed];
	return job.files.map((file) => ({ ...changed, generation_url: file.url }));
}
