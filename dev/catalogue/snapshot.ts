/** The snapshot llms.txt: the facts of the service's list of prices, in a form that `readPriceList` reads. */
import type { ListedPrice, PriceList } from '../../nodes/shared/catalogue/priceList';

/** Returns the text of a snapshot. `day`: when the list was read, such as `2026-08-19`. */
export function snapshotText(prices: PriceList, day: string): string {
	const rows = [...prices.values()].map(rowOf);
	const note = `Average cost and latency of a request, from Segmind's list of ${day}, without its descriptions.`;
	const header =
		'| Model | Slug | Modality | Avg Cost | Avg Latency |\n| --- | --- | --- | --- | --- |';
	return `${note}\n\n${header}\n${rows.join('\n')}\n`;
}

function rowOf({ title, slug, modality, cost, latencySeconds }: ListedPrice): string {
	const price = cost === undefined ? '-' : `$${roundedCost(cost)}`;
	const time = latencySeconds === undefined ? '-' : `${Number(latencySeconds.toPrecision(3))}s`;
	return `| ${[title, slug, modality, price, time].join(' | ')} |`;
}

/** Keeps four digits after the point, or three digits if that's more. */
function roundedCost(cost: number): number {
	return Number(cost < 0.1 ? cost.toPrecision(3) : cost.toFixed(4));
}

/** Returns the month of a snapshot, such as `August 2026`. @throws if its first line has no day */
export function monthOf(snapshot: string): string {
	const [day] = /\d{4}-\d\d-\d\d/.exec(snapshot.split('\n', 1)[0]) ?? [];
	if (day === undefined) throw new Error('The first line of the snapshot has no day.');
	return new Date(day).toLocaleString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
