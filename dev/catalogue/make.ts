import { findKind } from '../../nodes/shared/catalogue/kinds';
import { isClean } from '../../nodes/shared/base/clean';
import { listedParameters } from '../../nodes/shared/catalogue/listedParameters';
import type { PriceList } from '../../nodes/shared/catalogue/priceList';
import type { CatalogueModel, CatalogueParameter, Kind } from '../../nodes/shared/catalogue/types';
import {
	listOrEmpty,
	isObject,
	listedModel,
	type ListedModel,
} from '../../nodes/shared/service/schemas';
import { catalogueModel, type ModelPage } from './schema';

/** Corrections of models and parameters: what all sources lack, and what is wrong in them. */
export interface Corrections {
	/** By slug, for models whose modality in the list of prices is too general or wrong; `none`: only Any Model lists it. */
	kinds: Record<string, Kind | 'none' | undefined>;
	parameters: Record<string, Record<string, Correction | undefined> | undefined>;
}

type Correction = {
	/** A type in the list's own words, for a parameter whose type in the list is wrong. */
	type?: string;
} & Pick<CatalogueParameter, 'required' | 'unit' | 'note'>;

/**
 * Makes the built-in catalogue: models in the order of the prices, then the others. A model's own page has precedence over the list, parameter by parameter. A
 * member that no source has is absent.
 * @throws if a model doesn't match the catalogue's schema, or if a correction applies to nothing
 */
export function makeCatalogue(
	priced: PriceList,
	listResponse: unknown,
	pages: readonly ModelPage[],
	corrections: Corrections,
): CatalogueModel[] {
	const listed = new Map<string, ListedModel>();
	for (const entry of listOrEmpty(listResponse)) {
		const { success, data } = listedModel.safeParse(entry);
		if (success && isClean(data.slug)) listed.set(data.slug, data);
	}
	const pageBySlug = new Map(pages.map((page) => [page.slug, page]));
	const slugs = new Set([...priced.keys(), ...listed.keys(), ...pageBySlug.keys()]);
	const models = [...slugs].map((slug) => {
		const entry = listed.get(slug);
		const page = pageBySlug.get(slug);
		const row = priced.get(slug);
		const price = row ?? page;
		const listedKind = row ? findKind(row.modality) : (page?.kind ?? findKind(entry?.type ?? ''));
		const kind = corrections.kinds[slug] ?? listedKind;
		const parameters = { ...rawParameters(entry?.parameters), ...page?.parameters };
		return catalogueModel.parse({
			slug,
			title: price?.title ?? entry?.title ?? slug,
			kind: kind === 'none' ? undefined : kind,
			cost: price?.cost,
			latencySeconds: price?.latencySeconds,
			parameters: correctedParameters(parameters, corrections.parameters[slug] ?? {}),
		});
	});
	assertAllUsed(models, corrections);
	return models;
}

type RawParameters = Record<string, Record<string, unknown>>;

function rawParameters(raw: unknown): RawParameters {
	const entries = Object.entries(isObject(raw) ? raw : {});
	return Object.fromEntries(entries.map(([name, entry]) => [name, isObject(entry) ? entry : {}]));
}

function correctedParameters(
	raw: RawParameters,
	corrections: Record<string, Correction | undefined>,
): CatalogueParameter[] {
	const withTypes = Object.entries(raw).map(([name, entry]): [string, unknown] => {
		const type = corrections[name]?.type;
		return [name, type === undefined ? entry : { ...entry, type }];
	});
	return listedParameters(Object.fromEntries(withTypes)).map((parameter) => {
		const { required, unit, note } = corrections[parameter.name] ?? {};
		const example = exampleOf(raw[parameter.name], parameter);
		return {
			...parameter,
			// An optional parameter has no `required`. Only a correction of the list sets it to `false`.
			required: (required ?? parameter.required) || required,
			...(unit !== undefined && { unit }),
			...((note ?? example) !== undefined && { note: note ?? example }),
		};
	});
}

/** Returns the value in a page's sample as an example, for a parameter whose possible values the page doesn't list. */
function exampleOf(
	{ sample }: Record<string, unknown>,
	{ choices, default: fallback }: CatalogueParameter,
): string | undefined {
	const isKnown = choices !== undefined || fallback !== undefined;
	return isKnown || sample === undefined ? undefined : `e.g. ${String(sample)}`;
}

function assertAllUsed(models: CatalogueModel[], { kinds, parameters }: Corrections): void {
	const bySlug = new Map(models.map((model) => [model.slug, model]));
	const unused = [
		...Object.keys(kinds).filter((slug) => !bySlug.has(slug)),
		...Object.entries(parameters).flatMap(([slug, corrected = {}]) => {
			const names = bySlug.get(slug)?.parameters.map(({ name }) => name) ?? [];
			return Object.keys(corrected)
				.filter((name) => !names.includes(name))
				.map((name) => `${slug}.${name}`);
		}),
	];
	if (unused.length > 0)
		throw new Error(`Corrections of models or parameters that no source has: ${unused.join(', ')}`);
}

/** Returns the text of models.json. Each parameter has its own line, so that a release's changes are readable. `month`: of the prices. */
export function catalogueText(models: readonly CatalogueModel[], month: string): string {
	const texts = models.map(({ parameters, ...model }) => {
		const head = JSON.stringify(model).slice(0, -1);
		const lines = parameters.map((parameter) => `\t\t${JSON.stringify(parameter)}`);
		return `\t${head},"parameters":[${lines.length > 0 ? `\n${lines.join(',\n')}\n\t` : ''}]}`;
	});
	return `{"month":${JSON.stringify(month)},"models":[\n${texts.join(',\n')}\n]}\n`;
}
