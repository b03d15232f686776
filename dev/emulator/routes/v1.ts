import type { Request, Response, Router } from 'express';
import { requireBalance } from '../accept';
import { providerAnswer } from '../answers';
import { mediaType } from '../body';
import { requirement, type Job } from '../jobs';
import { missingParameter } from '../models';
import type { V1Shape } from '../orders';
import { receivedWith, tellDate } from '../origin';
import { isRecord } from '../prompt';
import { refuse } from '../refusal';
import { transcriptShape } from '../results';
import { jsonObject, routerOf, withKey } from '../routing';
import { sendFile } from '../sendFile';
import type { Service } from '../service';
import { requireModel } from './inference';

/** POST /v1/{model}: responds when the job is done, with raw bytes for most models (docs/service.md S60 to S64). */
export function v1Routes(service: Service): Router {
	return routerOf(
		withKey(service, {
			'/v1/:model': {
				async POST(request, response) {
					const input = v1Input(request);
					const model = requireModel(service, request);
					const missing = missingParameter(model.required, input);
					if (missing !== undefined) refuse(400, requirement(missing));
					requireBalance(service, 406);
					const job = service.jobs.submit({ via: 'v1', slug: model.slug, model, input });
					receivedWith(request).call.requestId = job.requestId;
					await until(service, job.endsAt);
					service.moments.renew();
					tellDate(service, response);
					service.jobs.settle();
					if (job.failure !== undefined) refuse(500, job.failure);
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
		}),
	);
}

/** v1 takes JSON and multipart forms (docs/service.md S62). */
function v1Input(request: Request): Record<string, unknown> {
	if (mediaType(request) !== 'multipart/form-data') return jsonObject(request);
	const { body } = receivedWith(request);
	if (!isRecord(body)) refuse(400, 'Malformed request: the form could not be read.');
	return body;
}

const clockStepMs = 5;

/** Waits until the emulator's clock reaches the time. A clock driven by a test is checked every few ms. */
async function until(service: Service, time: number): Promise<void> {
	for (let left = time - service.clock(); left > 0; left = time - service.clock()) {
		await service.timers.wait(service.realTime ? Math.ceil(left) : clockStepMs);
	}
}

async function sendOutput(
	{ orders }: Service,
	job: Job,
	request: Request,
	response: Response,
): Promise<void> {
	const { model, input, files } = job;
	if (model?.modality === 'text') {
		response.json(providerAnswer(model.family ?? 'openai', input));
		return;
	}
	const transcript = transcriptShape(job, orders);
	if (transcript) {
		sendTranscript(transcript, response);
		return;
	}
	const asked: V1Shape | undefined = String(input.base64) === 'true' ? 'base64' : undefined;
	const shape = orders.v1Shape ?? asked ?? model?.v1 ?? 'bytes';
	if (shape === 'bytes')
		await sendFile(files[0], request, response, orders.v1ContentType ?? files[0].contentType);
	else response.json(await jsonOf(job, shape));
}

/** `output` is the whole body: JSON, or plain text. */
function sendTranscript(transcript: Record<string, unknown>, response: Response): void {
	const { output = transcript } = transcript;
	if (typeof output !== 'string') response.json(output);
	else response.type(output.startsWith('{') ? 'json' : 'text').send(output);
}

async function jsonOf(job: Job, shape: Exclude<V1Shape, 'bytes'>): Promise<object> {
	const done = { status: 'Success', infer_time: (job.endsAt - job.startsAt) / 1000 };
	if (shape === 'videoUrl') {
		const { url, name } = job.files[0];
		return { ...done, video: url, outputs: 1, video_format: name.split('.').pop() };
	}
	const texts = await Promise.all(
		job.files.map(async (made) => (await made.bytes()).toString('base64')),
	);
	const [image] = texts;
	if (shape !== 'sam3') return { ...done, image: shape === 'base64Array' ? texts : image };
	return {
		image,
		overlay_image: image,
		preview_mask: image,
		masks: [image],
		masks_count: 1,
		boxes: [[0, 0, 8, 8]],
		scores: [0.97],
	};
}
