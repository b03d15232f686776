import type { Request } from 'express';
import { z } from 'zod';
import { numberForJob, type Job } from '../jobs';
import type { Orders } from '../orders';
import { reject } from '../rejection';
import { pathParameter, guardWithKey, ofKind, type Routes } from '../routing';
import type { Service } from '../service';

const DAY_MS = 24 * 3_600_000;
const MAX_SPAN_MS = 31 * DAY_MS;

/** A time, or a date without a time, which means the start or the end of that day. */
const dateField = (endOfDay: boolean) =>
	z
		.string()
		.transform((text) => Date.parse(text) + (endOfDay && /^[\d-]{10}$/.test(text) ? DAY_MS - 1 : 0))
		.pipe(z.number());
const integerUpTo = (max: number) => z.coerce.number().int().min(1).max(max);

const historyQuery = z
	.object({
		page: z.coerce.number().int().min(0).max(1_000_000).default(1),
		per_page: integerUpTo(100).default(20),
		from_date: dateField(false),
		to_date: dateField(true),
		model_name: z.string(),
		status: z.enum(['COMPLETED', 'FAILED', 'PENDING']),
		sort_by: z.enum(['model_created', 'model_name', 'credits_deduction']).default('model_created'),
		sort_order: z.enum(['asc', 'desc']).default('desc'),
	})
	.partial({ from_date: true, to_date: true, model_name: true, status: true });
type HistoryQuery = z.infer<typeof historyQuery>;

/** A row of the history. A request has a row for each output file, or one row if it has no files. */
type Row = Record<string, unknown>;

/** The request history (docs/service.md S260 to S264). It lists v1, v2 and workflow requests of any age. */
export function historyRoutes(service: Service): Routes {
	const { orders, jobs } = service;
	const prepareHistory = (): void => {
		if (!orders.history) reject(404, 'Not found');
		jobs.settle();
	};
	return guardWithKey(
		service,
		ofKind('history', {
			'/inference-request/request-history': {
				GET(request, response) {
					prepareHistory();
					const query = readQuery(request);
					const matching = [...jobs.all, ...jobs.elsewhere].filter(
						(job) => isInHistory(service, job) && matches(service, job, query),
					);
					const rows = sortJobs(matching, query, orders.historyOrder).flatMap((job) =>
						rowsOf(service, job),
					);
					const perPage = Math.min(query.per_page, orders.historyPageRows ?? Infinity);
					const last = Math.max(Math.ceil(rows.length / perPage) - 1, 0);
					const start = pageIndex(query.page, last, orders.historyPages) * perPage;
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
					prepareHistory();
					const id = pathParameter(request, 'id');
					const job = jobs.find(id);
					if (!job || !isInHistory(service, job)) reject(404, `Request ${id} not found`);
					response.json(rowsOf(service, job)[0]);
				},
			},
		}),
	);
}

/** Returns the index of the page to return, from 0. `last` is the index of the last page. */
function pageIndex(page: number, last: number, mode: Orders['historyPages']): number {
	if (mode === 'ignored') return 0;
	if (page === 0) reject(400, 'page is wrong: there is no such page.');
	return mode === 'clamped' ? Math.min(page - 1, last) : page - 1;
}

/** Whether the history already shows the job. */
function isInHistory(service: Service, job: Job): boolean {
	const { historyLateMs } = service.orders;
	const delayMs = job.elsewhere ? (job.elsewhere.lateMs ?? 0) : numberForJob(historyLateMs, job);
	return service.now() >= job.submittedAt + delayMs;
}

/** Sorts jobs as the query says (by default the newest first), unless the order `historyOrder` names another sequence. */
function sortJobs(jobs: Job[], query: HistoryQuery, order: Orders['historyOrder']): Job[] {
	const descending = order === 'requested' ? query.sort_order === 'desc' : order === 'newestFirst';
	const key = order === 'requested' ? query.sort_by : 'model_created';
	const sign = descending ? -1 : 1;
	jobs.sort((a, b) => sign * (compare(a, b, key) || a.index - b.index));
	return order === 'mixed' ? mix(jobs.reverse()) : jobs;
}

/** Mixes jobs in a way that depends only on their sequence, so that pages match each other and a run can be repeated. Expects the oldest job first. */
function mix(jobs: Job[]): Job[] {
	const multiplier = 2_654_435_761;
	const key = new Map(jobs.map((job, at) => [job, ((at + 1) * multiplier) % 2 ** 32]));
	return jobs.sort((a, b) => key.get(a)! - key.get(b)!);
}

function readQuery(request: Request): HistoryQuery {
	const { searchParams } = new URL(request.originalUrl, 'http://history');
	const { data, error } = historyQuery.safeParse(Object.fromEntries(searchParams));
	if (error) reject(400, `${error.issues[0].path.join()} is wrong: ${error.issues[0].message}.`);
	if ((data.to_date ?? 0) - (data.from_date ?? Infinity) > MAX_SPAN_MS)
		reject(400, 'The span may be 31 days at most.');
	return data;
}

function historyStatusOf(service: Service, job: Job): string {
	const state = service.jobs.stateOf(job);
	return state === 'COMPLETED' || state === 'FAILED' ? state : 'PENDING';
}

function matches(service: Service, job: Job, query: HistoryQuery): boolean {
	const { from_date = -Infinity, to_date = Infinity, model_name, status } = query;
	if (job.submittedAt < from_date || job.submittedAt > to_date) return false;
	if (model_name !== undefined && !matchesModel(model_name, job, service.orders)) return false;
	return status === undefined || status === historyStatusOf(service, job);
}

function matchesModel(modelName: string, { slug }: Job, { historyModelFilter }: Orders): boolean {
	if (historyModelFilter === 'ignored') return true;
	return historyModelFilter === 'contains' ? slug.includes(modelName) : slug === modelName;
}

function compare(a: Job, b: Job, key: HistoryQuery['sort_by']): number {
	if (key === 'model_name') return a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;
	return key === 'credits_deduction' ? a.cost - b.cost : a.submittedAt - b.submittedAt;
}

const iso = (time: number): string => new Date(time).toISOString();

function rowsOf(service: Service, job: Job): Row[] {
	const status = historyStatusOf(service, job);
	const hasEnded = status !== 'PENDING';
	const row: Row = {
		request_id: job.requestId,
		model_name: job.slug,
		model_status: status,
		credits_deduction: status === 'COMPLETED' ? job.cost : 0,
		request_body: job.input,
		generation_url: null,
		latency_ms: hasEnded ? job.endsAt - job.submittedAt : null,
		created_at: iso(job.submittedAt),
		updated_at: iso(hasEnded ? job.endsAt : job.submittedAt),
		error: status === 'FAILED' ? job.failure : null,
		...(job.elsewhere?.user !== undefined && { user_email: job.elsewhere.user }),
	};
	const changed = service.orders.historyRow?.(row, job.endsAt) ?? row;
	if (status !== 'COMPLETED' || job.files.length === 0) return [changed];
	return job.files.map((file) => ({ ...changed, generation_url: file.url }));
}
