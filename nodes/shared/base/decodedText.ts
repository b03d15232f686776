/** A text read through its escapes, with the place each of its characters has in the text as written. */
interface DecodedText {
	text: string;
	/** Where the character begins in the text as written; one more entry than there are characters. */
	starts: number[];
}

/** JSON and JavaScript escapes, percent-encoding, HTML entities. */
const ESCAPE =
	/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x0{0,6}([0-9a-f]{1,6});?|&#0{0,6}([0-9]{1,7});?|\\([\\/"'])|&(amp|quot|lt|gt|apos);/gi;
const ENTITIES: Record<string, string> = { amp: '&', quot: '"', lt: '<', gt: '>', apos: "'" };
/** A text may be escaped several times over: JSON within JSON within an address. */
const LAYERS = 4;

/** The text as written, then with each layer of its escapes taken off, until none is left. */
export function readingsOf(written: string): DecodedText[] {
	const readings: DecodedText[] = [{ text: written, starts: [] }];
	for (let layer = 0; layer < LAYERS; layer++) {
		const next = withoutOneLayer(readings[layer]);
		if (next === undefined) break;
		readings.push(next);
	}
	return readings;
}

/** Where a character of a decoded text begins in the text as written. */
export function placeOf({ starts }: DecodedText, at: number): number {
	return starts.length === 0 ? at : starts[at];
}

function withoutOneLayer({ text, starts }: DecodedText): DecodedText | undefined {
	const parts: string[] = [];
	const places: number[] = [];
	let from = 0;
	const take = (piece: string, begin: number, isEscape: boolean) => {
		parts.push(piece);
		for (let at = 0; at < piece.length; at++)
			places.push(placeOf({ text, starts }, isEscape ? begin : begin + at));
	};
	for (const match of text.matchAll(ESCAPE)) {
		const character = characterOf(match);
		if (character === undefined) continue;
		take(text.slice(from, match.index), from, false);
		take(character, match.index, true);
		from = match.index + match[0].length;
	}
	if (from === 0) return undefined;
	take(text.slice(from), from, false);
	places.push(placeOf({ text, starts }, text.length));
	return { text: parts.join(''), starts: places };
}

function characterOf(match: RegExpExecArray): string | undefined {
	const [, unicode, byte, percent, hex, decimal, plain, entity] = match;
	if (plain !== undefined) return plain;
	if (entity !== undefined) return ENTITIES[entity.toLowerCase()];
	const digits = unicode ?? byte ?? percent ?? hex;
	const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
	return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
