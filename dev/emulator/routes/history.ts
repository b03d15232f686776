import type { Request, Router } from 'express';
import { jobNumber, type Job } from '../jobs';
import type { Orders } from '../orders';
import { refuse } from '../refusal';
import { parameter, routerOf, withKey } from '../routing';
import type { Service } from '../service';

const dayMs = 24 * 3_600_000;
const longestSpanMs = 31 * dayMs;

type SortKey = 'model_created' | 'model_name' | 'credits_deduction';

interface HistoryQuery {
	page: number;
	perPage: number;
	from: number;
	to: number;
	modelName: string | undefined;
	status: string | undefined;
	sortBy: SortKey;
	descending: boolean;
}

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
					const perPage = Math.min(query.perPage, orders.historyPageRows ?? Infinity);
					const start = (query.page - 1) * perPage;
					response.json({
						data: rows.slice(start, start + perPage),
						page: query.page,
						per_page: perPage,
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

/** Whether the history knows the job by now. */
function appears(service: Service, job: Job): boolean {
	const { historyOfWorkflows, historyLateMs } = service.orders;
	if (job.via === 'workflow' && !historyOfWorkflows) return false;
	const late = job.elsewhere ? (job.elsewhere.lateMs ?? 0) : jobNumber(historyLateMs, job);
	return service.now() >= job.submittedAt + late;
}

/** Newest first unless asked otherwise, or the order that was given whatever was asked. */
function inOrder(found: Job[], query: HistoryQuery, order: Orders['historyOrder']): Job[] {
	const descending = order === 'asked' ? query.descending : order === 'newestFirst';
	const key = order === 'asked' ? query.sortBy : 'model_created';
	const sign = descending ? -1 : 1;
	found.sort((a, b) => sign * (compare(a, b, key) || a.index - b.index));
	return order === 'mixed' ? mixed(found.reverse()) : found;
}

/** Mixes the same way each time, so that pages fit together and a run can be repeated. Takes the oldest first. */
function mixed(jobs: Job[]): Job[] {
	const knuth = 2_654_435_761;
	const key = new Map(jobs.map((job, at) => [job, ((at + 1) * knuth) % 2 ** 32]));
	return jobs.sort((a, b) => key.get(a)! - key.get(b)!);
}

function readQuery(request: Request): HistoryQuery {
	const query = new URL(request.originalUrl, 'http://history').searchParams;
	const text = (name: string): string | undefined => query.get(name) ?? undefined;
	const whole = (name: string, usual: number, most: number): number => {
		const value = Number(text(name) ?? usual);
		if (!Number.isInteger(value) || value < 1 || value > most)
			refuse(400, `${name} must be a number from 1 to ${most}.`);
		return value;
	};
	const time = (name: string, endOfDay: boolean): number | undefined => {
		const value = text(name);
		if (value === undefined) return undefined;
		const parsed = Date.parse(value);
		if (Number.isNaN(parsed)) refuse(400, `${name} must be a date.`);
		// A bare date means the whole day.
		return endOfDay && /^\d{4}-\d\d-\d\d$/.test(value) ? parsed + dayMs - 1 : parsed;
	};
	const oneOf = <T extends string>(name: string, choices: readonly T[]): T | undefined => {
		const value = text(name);
		if (value === undefined) return undefined;
		const choice = choices.find((known) => known === value);
		if (choice === undefined) refuse(400, `${name} must be one of ${choices.join(', ')}.`);
		return choice;
	};
	const from = time('from_date', false);
	const to = time('to_date', true);
	if (from !== undefined && to !== undefined && to - from > longestSpanMs)
		refuse(400, 'The span may be 31 days at most.');
	return {
		page: whole('page', 1, 1_000_000),
		perPage: whole('per_page', 20, 100),
		from: from ?? -Infinity,
		to: to ?? Infinity,
		modelName: text('model_name'),
		status: oneOf('status', ['COMPLETED', 'FAILED', 'PENDING'] as const),
		sortBy:
			oneOf('sort_by', ['model_created', 'model_name', 'credits_deduction'] as const) ??
			'model_created',
		descending: oneOf('sort_order', ['asc', 'desc'] as const) !== 'asc',
	};
}

function statusOf(service: Service, job: Job): string {
	const state = service.jobs.stateOf(job);
	return state === 'COMPLETED' || state === 'FAILED' ? state : 'PENDING';
}

function matches(service: Service, job: Job, query: HistoryQuery): boolean {
	if (job.submittedAt < query.from || job.submittedAt > query.to) return false;
	if (query.modelName !== undefined && !namedBy(query.modelName, job, service.orders)) return false;
	return query.status === undefined || query.status === statusOf(service, job);
}

function namedBy(modelName: string, { slug }: Job, { historyModelFilter }: Orders): boolean {
	if (historyModelFilter === 'ignored') return true;
	return historyModelFilter === 'contains' ? slug.includes(modelName) : slug === modelName;
}

function compare(a: Job, b: Job, key: SortKey): number {
	if (key === 'model_name') return a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;
	return key === 'credits_deduction' ? a.cost - b.cost : a.submittedAt - b.submittedAt;
}

function rowsOf(service: Service, job: Job): Row[] {
	const status = statusOf(service, job);
	const ended = status !== 'PENDING';
	const row: Row = {
		request_id: job.requestId,
		model_name: job.slug,
		model_status: status,
		credits_deduction: status === 'COMPLETED' ? job.cost : 0,
		request_body: service.orders.historyBody === 'text' ? JSON.stringify(job.input) : job.input,
		generation_url: null,
		latency_ms: ended ? job.endsAt - job.submittedAt : null,
		created_at: written(job.submittedAt, service.orders.historyDates),
		updated_at: written(ended ? job.endsAt : job.submittedAt, service.orders.historyDates),
		error: status === 'FAILED' ? job.failure : null,
		...(job.elsewhere?.user !== undefined && { user_email: job.elsewhere.user }),
	};
	const changed = service.orders.historyRow?.(row, job.endsAt) ?? row;
	if (status !== 'COMPLETED' || job.files.length === 0) return [changed];
	return job.files.map((file) => ({ ...changed, generation_url: file.url }));
}

/** `isoWithoutZone`: as Python writes a time that knows no zone. */
function written(time: number, form: Orders['historyDates']): string | number {
	const date = new Date(time);
	return {
		iso: date.toISOString(),
		isoWithoutZone: date.toISOString().replace('Z', '000'),
		gmt: date.toUTCString(),
		epochSeconds: Math.floor(time / 1000),
		epochMs: time,
	}[form];
}
