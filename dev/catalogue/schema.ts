import { z } from 'zod';

import type { CatalogueModel, CatalogueParameter } from '../../nodes/shared/catalogue';

const text = z.string().min(1);
const flag = z.literal(true).optional();

const catalogueParameter: z.ZodType<CatalogueParameter> = z
	.object({
		name: text,
		label: text.optional(),
		type: z.enum(['string', 'number', 'boolean', 'json', 'file']),
		required: z.boolean().optional(),
		choices: z.array(z.union([text, z.number()])).optional(),
		default: z.union([text, z.number(), z.boolean()]).optional(),
		min: z.number().optional(),
		max: z.number().optional(),
		unit: text.optional(),
		list: flag,
		note: text.optional(),
		affectsPrice: flag,
		advanced: flag,
		hidden: flag,
	})
	.strict();

const kind = z.enum(['image', 'imageEdit', 'video', 'audio', 'text', 'transcript']);

/** The schema of a model in models.json. */
export const catalogueModel: z.ZodType<CatalogueModel> = z
	.object({
		slug: text,
		title: text,
		kind: kind.optional(),
		cost: z.number().positive().optional(),
		latencySeconds: z.number().positive().optional(),
		parameters: z.array(catalogueParameter),
	})
	.strict();

/** The schema of pages.json: what a model's page says, as far as a stored copy shows it. */
export const modelPages = z.array(
	z
		.object({
			slug: text,
			/** The model's page at Segmind or, where no copy of it is public, the page of the model's maker. */
			page: z.string().url(),
			/** The date on which the stored copy was read. */
			read: z.string().regex(/^\d{4}-\d\d-\d\d$/),
			/** The title, the kind, the price and the time are in a page only for a model that isn't in the list of prices. */
			title: text.optional(),
			kind: kind.optional(),
			cost: z.number().positive().optional(),
			latencySeconds: z.number().positive().optional(),
			/** By name, in the list's form (docs/service.md S283). `sample`: the value in the page's sample call. */
			parameters: z.record(z.record(z.unknown())),
		})
		.strict(),
);

export type ModelPage = z.infer<typeof modelPages>[number];
