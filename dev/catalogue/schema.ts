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

/** The schema of a model in models.json. */
export const catalogueModel: z.ZodType<CatalogueModel> = z
	.object({
		slug: text,
		title: text,
		kind: z.enum(['image', 'imageEdit', 'video', 'audio', 'text', 'transcript']).optional(),
		cost: z.number().positive().optional(),
		latencySeconds: z.number().positive().optional(),
		wellKnown: flag,
		parameters: z.array(catalogueParameter),
	})
	.strict();
