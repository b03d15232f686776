import type { INodeProperties } from 'n8n-workflow';

import { expectedLatencyMs, findModel } from '../shared/catalogue';
import { contradictions } from '../shared/catalogue/contradictions';
import { metadataOf } from '../shared/catalogue/modelList';
import { readInputs } from '../shared/inputs/readInputs';
import {
	inputModeField,
	inputsField,
	inputsJsonField,
	parametersFormField,
	parametersNotice,
} from '../shared/descriptions/inputs';
import type { Generation } from '../shared/request/generation';
import type { Session } from '../shared/run/session';
import { joinUrl, pathSegment } from '../shared/service/origins';

/** The fields that say what to generate: model, prompt and its parameters. */
export const modelFields: INodeProperties[] = [
	{
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description:
			'The model to run. Dedicated endpoints and fine-tuned models are not in the list: type their slug.',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Choose a model',
				typeOptions: {
					searchListMethod: 'searchModels',
					searchable: true,
					skipCredentialsCheckInRLC: true,
					slowLoadNotice: {
						message: 'If the list takes long, type the slug of the model under By Slug',
						timeout: 4_000,
					},
				},
			},
			{
				displayName: 'By Slug',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. nano-banana-pro',
				hint: 'The last part of the address of the model page, exactly as written there',
			},
		],
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. a lighthouse at dusk, watercolour',
		description:
			'What to generate, edit, say or answer. Sent under the name the model has for it, where that is known. Leave empty for models that take none.',
		displayOptions: { show: { inputMode: ['fields'] } },
	},
	parametersFormField,
	parametersNotice,
	inputsField(
		{
			displayName: 'Name',
			name: 'name',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			description: 'The parameter of the model',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Choose a parameter',
					typeOptions: {
						searchListMethod: 'searchParameters',
						searchable: true,
						skipCredentialsCheckInRLC: true,
					},
				},
				{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. aspect_ratio' },
			],
		},
		'Parameters that the form above does not have, or files sent in another way; named as on the page of the model at Segmind',
		'Additional Inputs',
	),
	inputModeField,
	inputsJsonField,
];

/** Reads what an item asks for. @throws SegmindFailure naming the parameter, before any call */
export function readGeneration(
	session: Session,
	itemIndex: number,
	apiVersion: 'v1' | 'v2',
): Generation {
	const slug = String(
		session.context.getNodeParameter('model', itemIndex, '', { extractValue: true }) ?? '',
	).trim();
	const path = `/${apiVersion}/${pathSegment(slug, 'Model')}`;
	return {
		itemIndex,
		url: joinUrl(session.client.urls.baseUrl, path),
		subject: `model '${slug}'`,
		slug,
		label: { model: slug },
		isWorkflow: false,
		publishedMs: expectedLatencyMs(slug),
		publishedCost: findModel(slug)?.cost,
		contradictions: (body) =>
			contradictions(body, metadataOf(slug, session.client.urls.endpointAdminUrl)),
		...readInputs(session, itemIndex, slug),
	};
}
