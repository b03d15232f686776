import { Router } from 'express';
import { models, type Model } from '../models';
import { refuse } from '../refusal';
import { methods } from '../routing';
import type { Service } from '../service';

// Spelled as the service spells them (service-facts 15); types of editing and audio models are by analogy.
const types: Record<Model['modality'], string> = {
	image: 'textToImage',
	edit: 'imageTOImage',
	video: 'textToVideo',
	audio: 'textToAudio',
	text: 'textToText',
};

/** GET /inference-model-information/list: public, no key asked for. */
export function modelListRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });
	router.all(
		'/inference-model-information/list',
		methods({
			GET: (_request, response) => {
				if (!service.orders.modelList) refuse(404, 'Not found');
				const listed = models.filter((model) => model.unlisted !== true);
				response.json({
					'Inference Segmind Model Information List With Details': listed.map(describe),
				});
			},
		}),
	);
	return router;
}

function describe(model: Model, index: number): Record<string, unknown> {
	const required = model.required.map((names) => names.split('|')[0]);
	return {
		title: model.title,
		type: types[model.modality],
		description: `${model.title}, about ${model.seconds} s and $${model.cost} a request.`,
		slug: model.slug,
		parameters: Object.fromEntries(
			required.map((name) => [name, { type: 'string', required: true }]),
		),
		model_id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
		name: model.slug,
		is_depreciated: model.retired === true,
		thumbnail_image: `https://example.com/${model.slug}.jpg`,
		default_image_output: null,
	};
}
