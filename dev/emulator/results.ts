import type { Response } from 'express';
import { providerResponse, transcriptResponse } from './providerResponses';
import type { HostedFile } from './files';
import type { Job } from './jobs';
import { promptOf } from './prompt';
import type { Orders, ResultShape } from './orders';

const seconds = (ms: number): number => Math.round(ms) / 1000;

/** Returns the metrics of a job that has ended. A failed job has only times (docs/service.md S121). */
export function metricsOf(job: Job, orders: Orders): Record<string, unknown> {
	if (orders.metrics === 'missing') return {};
	if (orders.metrics === 'null') return { metrics: null };
	const queue = job.startsAt - job.submittedAt;
	const total = job.endsAt - job.submittedAt;
	return {
		metrics: {
			time_in_queue_ms: queue,
			inference_time: seconds(total - queue),
			queue_time: seconds(queue),
			total_time: seconds(total),
			...(job.failure === undefined && { cost: job.cost, remaining_credits: job.remaining }),
		},
	};
}

export const timingsOf = (job: Job) => ({ total_ms: job.endsAt - job.submittedAt });

type Media = Awaited<ReturnType<typeof mediaOf>>;

async function mediaOf(file: HostedFile, lastFrame?: HostedFile) {
	return {
		url: file.url,
		content_type: file.contentType,
		file_name: file.name,
		file_size: String(await file.size()),
		...(lastFrame && { last_frame_url: lastFrame.url }),
	};
}

/** Returns the result of a completed v2 job, in the usual form of its modality or in the form of the order `resultShape` (docs/service.md S105 to S110). */
export async function resultOf(job: Job, orders: Orders): Promise<Record<string, unknown>> {
	if (orders.resultShape === 'unnamed') return unnamedResult(job);
	const media = await Promise.all(
		job.files.map(async (file) => await mediaOf(file, job.lastFrame)),
	);
	return {
		status: 'COMPLETED',
		request_id: job.requestId,
		...(orders.resultShape
			? membersByShape(job, media)[orders.resultShape]
			: (transcriptMembers(job, orders) ?? usualMembers(job, media))),
		error: null,
		timings: timingsOf(job),
		...metricsOf(job, orders),
	};
}

/** Returns the members of a result that contain the transcript; undefined for a model that doesn't transcribe. */
export function transcriptMembers(
	{ transcript }: Job,
	orders: Orders,
): Record<string, unknown> | undefined {
	if (transcript === undefined) return undefined;
	const forms: Record<Orders['transcriptShape'], Record<string, unknown>> = {
		outputJson: { output: JSON.stringify(transcriptResponse(transcript)) },
		outputObject: { output: transcriptResponse(transcript) },
		outputText: { output: transcript },
		text: { text: transcript },
		transcript: { transcript },
	};
	return forms[orders.transcriptShape];
}

function usualMembers({ model, input, answer }: Job, media: Media[]): Record<string, unknown> {
	if (!model || model.modality === 'text')
		return { output: JSON.stringify(providerResponse(model?.family ?? 'openai', input, answer)) };
	const urls = media.map((file) => file.url);
	const output = urls.length === 1 ? urls[0] : urls;
	const seed = { seed: String(input.seed ?? 42) };
	if (model.modality === 'video') return { output, video: media[0], ...seed };
	if (model.modality === 'audio') return { output, audio: media[0] };
	return { output, images: media, ...seed };
}

function membersByShape(
	job: Job,
	media: Media[],
): Record<Exclude<ResultShape, 'unnamed'>, Record<string, unknown>> {
	const urls = media.map((file) => file.url);
	const [first = null] = media;
	return {
		images: { images: media },
		video: { video: first },
		audio: { audio: first },
		outputUrl: { output: urls[0] ?? null },
		outputJson: { output: JSON.stringify(freeFormOutput(job, urls)) },
		outputObject: { output: freeFormOutput(job, urls) },
		outputNull: { output: null },
		outputEmptyText: { output: '' },
		outputEmptyList: { output: [] },
		outputEmptyObject: { output: {} },
	};
}

/** Returns a result as older pages describe it: a member for each file, or for the text, named after its kind. */
export function unnamedResult(job: Job): Record<string, unknown> {
	if (job.transcript !== undefined) return { text_output: job.transcript };
	if (job.files.length === 0) return { text_output: `Emulated answer to: ${promptOf(job.input)}` };
	return Object.fromEntries(
		job.files.map((file) => [`${file.contentType.split('/')[0]}_output`, file.url]),
	);
}

/** Returns an output object in a form of its own: the provider's response for language models and transcripts, otherwise the files with a note. */
function freeFormOutput(job: Job, urls: string[]): Record<string, unknown> {
	if (job.transcript !== undefined) return transcriptResponse(job.transcript);
	if (job.model?.modality === 'text')
		return providerResponse(job.model.family ?? 'openai', job.input, job.answer);
	return { note: promptOf(job.input), files: urls.map((url) => ({ url })) };
}

/** Returns the `output` of a completed workflow run: named values, as a JSON string unless the order `workflowOutput` says otherwise (docs/service.md S155). */
export function workflowOutputOf(job: Job, orders: Orders): unknown {
	const { workflow } = job;
	if (!workflow) return '[]';
	const files = [...job.files];
	const values = workflow.outputs.map(({ keyname, type }) => {
		const data = outputValue(type, job, files);
		return { keyname, value: workflow.plain ? data : { data, type } };
	});
	if (orders.workflowOutput === 'array') return values;
	const text = JSON.stringify(values);
	return orders.workflowOutput === 'broken' ? text.slice(0, -2) : text;
}

function outputValue(type: string, job: Job, files: HostedFile[]): unknown {
	if (type === 'text') return `Caption for: ${promptOf(job.input)}`;
	if (type === 'number') return 0.87;
	if (type === 'boolean') return true;
	return files.shift()?.url ?? null;
}

/** Sends a response about a FAILED job. The result contains the reason; the response to a status check contains it only if the order `failedReason` says so. */
export function sendFailure(
	job: Job,
	orders: Orders,
	what: 'status' | 'result',
	response: Response,
): void {
	response.status(orders.failedStatus).json({
		...((what === 'result' || orders.failedReason === 'both') && failureMembers(job, orders)),
		...metricsOf(job, orders),
		request_id: job.requestId,
		status: 'FAILED',
	});
}

/** Returns the member that contains the reason of a failure. */
function failureMembers(job: Job, orders: Orders): Record<string, unknown> {
	return orders.failedError === 'object'
		? {
				error_message: {
					message: job.failure,
					code: 'MODEL_ERROR',
					node: job.workflow?.outputs[0].keyname ?? job.slug,
				},
			}
		: { error: job.failure };
}
