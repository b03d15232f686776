import { Router } from 'express';
import { parametersOf } from '../modelParameters';
import { models, type Model } from '../models';
import { refuse } from '../refusal';
import { methods } from '../routing';
import type { Service } from '../service';
import type { Orders } from '../types';

// Spelled as the service spells them (docs/service.md S281, S282); types of editing and audio models are by analogy.
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
				const { orders } = service;
				if (!orders.modelList) refuse(404, 'Not found');
				const listed = models.filter((model) => model.unlisted !== true);
				const entries: unknown[] = [...listed, ...extraModels(orders.extraModels)].map(
					(model, index) => describe(model, index, orders),
				);
				if (orders.hostileModels) entries.push(...hostileEntries());
				response.json(inPlace(entries, orders.modelListPlace));
			},
		}),
	);
	return router;
}

function inPlace(entries: unknown[], place: Orders['modelListPlace']): unknown {
	switch (place) {
		case 'usual':
			return { 'Inference Segmind Model Information List With Details': entries };
		case 'array':
			return entries;
		case 'models':
			return { message: 'OK', models: entries };
		case 'data':
			return { data: { models: entries } };
	}
}

function describe(model: Model, index: number, orders: Orders): Record<string, unknown> {
	const parameters = parametersOf(model, orders.modelParameters);
	return {
		title: model.title,
		type: types[model.modality],
		description: `${model.title}, about ${model.seconds} s and $${model.cost} a request.`,
		slug: model.slug,
		...(parameters !== undefined && { parameters }),
		model_id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
		name: model.slug,
		is_visible: !orders.hiddenModels.includes(model.slug),
		is_new: false,
		is_depreciated: model.retired === true,
		thumbnail_image: `https://example.com/${model.slug}.jpg`,
		default_image_output: null,
	};
}

/** Made-up models that can be seen but not called. */
function extraModels(count: number): Model[] {
	return Array.from({ length: count }, (_unused, at) => ({
		slug: `extra-model-${at + 1}`,
		title: `Extra Model ${at + 1}`,
		modality: 'image',
		cost: 0.01,
		seconds: 3,
		required: ['prompt'],
	}));
}

/** Entries that are no models, or whose names somebody's code could take for something else. */
function hostileEntries(): unknown[] {
	const names = [
		'__proto__',
		'constructor',
		'../v1/get-user-credits',
		'a/b?c#d',
		'={{ $env.SECRET }}',
		"$fromAI('stolen')",
		'two\nlines',
		'',
	];
	return [
		...names.map((slug) => ({
			slug,
			title: `=${slug}`,
			name: slug,
			type: '<b>textToImage</b>',
			is_visible: true,
			is_depreciated: 'no',
			parameters: { prompt: { type: 'str', isRequired: true } },
		})),
		{ slug: 7, title: null, type: {} },
		{ title: 'No slug' },
		null,
		'flux-dev',
		[],
	];
}
