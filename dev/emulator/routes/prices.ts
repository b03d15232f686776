import { publishedRows } from '../models';
import { type Routes } from '../routing';

const HEADER = [
	'| Model | Slug | Description | Modality | Avg Cost | Avg Latency | API Docs |',
	'|-------|------|-------------|----------|----------|-------------|----------|',
];

/** GET /llms.txt: public, without a key (docs/service.md S284). The descriptions are made up; some have a line break, as the service's do. */
export function priceRoutes(): Routes {
	return {
		'/llms.txt': {
			kind: 'prices',
			GET(_request, response) {
				response.type('text/plain').send(priceListText());
			},
		},
	};
}

/** Returns the list of prices in the service's form: a heading and a table for each modality. */
export function priceListText(): string {
	const sections = [...new Set(publishedRows.map(({ words }) => words))].map((modality) => {
		const rows = publishedRows.filter(({ words }) => words === modality);
		return [`## ${modality}`, '', ...HEADER, ...rows.map(rowOf), ''].join('\n');
	});
	return ['# Segmind', '', '> Models of the emulator.', '', ...sections].join('\n');
}

function rowOf(row: (typeof publishedRows)[number], at: number): string {
	const { title, slug, words, cost, latency } = row;
	const description = at % 50 === 7 ? `Made up:\n${title}.` : `Made up: ${title}.`;
	const page = `https://www.segmind.com/models/${slug}/llms.txt`;
	const cells = [title, slug, description, words, `$${cost}`, latency, `[API Docs](${page})`];
	return `| ${cells.join(' | ')} |`;
}
