import { findModel } from '../shared/catalogue';
import { say } from '../shared/errors/say';
import { isBinary } from '../shared/inputs/files';
import type { Inputs } from '../shared/inputs/readInputs';
import { startOf } from '../shared/media/fileContent';
import type { Item } from '../shared/run/item';

const OUTPUT_FORMAT = 'output_format';

/** Adds a hint if the item's picture may be transparent, but the model returns a JPEG of it. */
export async function addTransparencyHint(item: Item, slug: string, inputs: Inputs): Promise<void> {
	if (inputs.kind === 'body' || !returnsJpeg(slug, inputs)) return;
	for (const input of inputs.byName.values()) {
		const files = input.kind === 'files' ? input.parts.filter(isBinary) : [];
		const starts = await Promise.all(files.map(async (file) => await startOf(item.run, file)));
		if (!starts.some((start) => start !== undefined && mayBeTransparent(start))) continue;
		const text = say`the image may be transparent in parts, and a JPEG can't be. To keep that, set ${OUTPUT_FORMAT} to png.`;
		item.run.report.addHint({ item: item.index, text });
		return;
	}
}

function returnsJpeg(slug: string, { byName }: Extract<Inputs, { kind: 'fields' }>): boolean {
	const given = byName.get(OUTPUT_FORMAT);
	const known = findModel(slug)?.parameters.find(({ name }) => name === OUTPUT_FORMAT);
	const format = given?.kind === 'value' ? given.value : known?.default;
	return typeof format === 'string' && /^jpe?g$/i.test(format);
}

/** Whether the first bytes of a picture are those of a PNG or WebP with transparency. */
function mayBeTransparent(start: Buffer): boolean {
	const text = start.toString('latin1');
	if (text.startsWith('\x89PNG')) return [4, 6].includes(start[25]) || text.includes('tRNS');
	return text.startsWith('RIFF') && text.slice(8, 16) === 'WEBPVP8X' && (start[20] & 0x10) !== 0;
}
