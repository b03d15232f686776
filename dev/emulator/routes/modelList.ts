import { parametersOf } from '../modelParameters';
import { models, type Model } from '../models';
import { type Routes } from '../routing';

// The service's own spelling (docs/service.md S281, S282). The types of editing, audio and transcript models are guessed by analogy.
const typeByModality: Record<Model['modality'], string> = {
	image: 'textToImage',
	edit: 'imageTOImage',
	video: 'textToVideo',
	audio: 'textToAudio',
	transcript: 'textToAudio',
	text: 'textToText',
};

/** GET /inference-model-information/list: public, without a key. */
export function modelListRoutes(): Routes {
	const entryOf = (model: Model, index: number): Record<string, unknown> => ({
		title: model.title,
		type: typeByModality[model.modality],
		description: `${model.title}, about ${model.seconds} s and $${model.cost} a request.`,
		slug: model.slug,
		parameters: parametersOf(model),
		model_id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
		name: model.slug,
		is_visible: true,
		is_new: false,
		is_depreciated: model.retired === true,
		thumbnail_image: `https://example.com/${model.slug}.jpg`,
		default_image_output: null,
	});
	return {
		'/inference-model-information/list': {
			kind: 'models',
			GET(_request, response) {
				const visible = models.filter((model) => model.unlisted !== true);
				response.json({
					'Inference Segmind Model Information List With Details': visible.map(entryOf),
				});
			},
		},
	};
}
