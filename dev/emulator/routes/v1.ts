import type { Request, Response } from 'express';
import { requireBalance } from '../submission';
import { providerResponse } from '../providerResponses';
import { mediaType } from '../body';
import type { Job } from '../jobs';
import { inputProblem } from '../models';
import type { V1Shape } from '../orders';
import { setDate } from '../originApp';
import { receivedCallOf } from '../receivedCalls';
import { isRecord } from '../prompt';
import { reject } from '../rejection';
import { transcriptMembers } from '../results';
import { readJsonObject, guardWithKey, type Routes } from '../routing';
import { sendFile } from '../sendFile';
import type { Service } from '../service';
import { requireModel } from './inference';

/** POST /v1/{model}: responds when the job is done, with raw bytes for most models (docs/service.md S60 to S64). */
export function v1Routes(service: Service): Routes {
	return guardWithKey(service, {
		'/v1/:model': {
			kind: 'v1',
			async POST(request, response) {
				const input = readV1Input(request);
				const model = requireModel(service, request);
				const problem = inputProblem(model, input);
				if (problem !== undefined) reject(400, problem);
				requireBalance(service, 406);
				const job = service.jobs.submit({ via: 'v1', slug: model.slug, model, input });
				receivedCallOf(request).call.requestId = job.requestId;
				await waitUntil(service, job.endsAt);
				service.moments.renew();
				setDate(service, response);
				service.jobs.settle();
				if (job.failure !== undefined) reject(500, job.failure);
				response.set({
					'x-request-id': job.requestId,
					'x-cost': String(job.cost),
					'x-remaining-credits': String(job.remaining),
					'x-generation-time': String((job.endsAt - job.startsAt) / 1000),
					'x-seed-value': String(input.seed ?? 42),
				});
				await sendOutput(service, job, request, response);
			},
		},
	});
}

/** Reads the input of a v1 call, from JSON or a multipart form. */
function readV1Input(request: Request): Record<string, unknown> {
	if (mediaType(request) !== 'multipart/form-data') return readJsonObject(request);
	const { body } = receivedCallOf(request);
	if (!isRecord(body)) reject(400, 'Malformed request: the form could not be read.');
	return body;
}

/** How often a clock that a test drives is checked. */
const CLOCK_CHECK_MS = 5;

/** Waits until the emulator's clock reaches the time. */
async function waitUntil(service: Service, time: number): Promise<void> {
	for (let left = time - service.clock(); left > 0; left = time - service.clock()) {
		await service.timers.wait(service.isRealTime ? Math.ceil(left) : CLOCK_CHECK_MS);
	}
}

async function sendOutput(
	{ orders }: Service,
	job: Job,
	request: Request,
	response: Response,
): Promise<void> {
	const { model, input, files, answer } = job;
	if (model?.modality === 'text') {
		response.json(providerResponse(model.family ?? 'openai', input, answer));
		return;
	}
	const transcript = transcriptMembers(job, orders);
	if (transcript) {
		sendTranscript(transcript, response);
		return;
	}
	const requestedShape: V1Shape | undefined =
		String(input.base64) === 'true' ? 'base64' : undefined;
	const shape = orders.v1Shape ?? requestedShape ?? model?.v1 ?? 'bytes';
	if (shape === 'bytes') await sendFile(files[0], request, response);
	else response.json(await jsonBodyOf(job, shape));
}

/** Sends a transcript, as JSON or plain text. If it has a member `output`, that is the whole body. */
function sendTranscript(transcript: Record<string, unknown>, response: Response): void {
	const { output = transcript } = transcript;
	if (typeof output !== 'string') response.json(output);
	else response.type(output.startsWith('{') ? 'json' : 'text').send(output);
}

async function jsonBodyOf(job: Job, shape: Exclude<V1Shape, 'bytes'>): Promise<object> {
	const common = { status: 'Success', infer_time: (job.endsAt - job.startsAt) / 1000 };
	if (shape === 'videoUrl') {
		const { url, name } = job.files[0];
		return { ...common, video: url, outputs: 1, video_format: name.split('.').pop() };
	}
	const encodedFiles = await Promise.all(
		job.files.map(async (file) => (await file.bytes()).toString('base64')),
	);
	const [image] = encodedFiles;
	return { ...common, image: shape === 'base64Array' ? encodedFiles : image };
}
