import { createHash } from 'node:crypto';

import { escapeXml, FONT } from './drawSvg';

/** A size in pixels. */
export interface Size {
	width: number;
	height: number;
}

/** A scene is laid out on a plane of this size and scaled to the picture. */
const PLANE_WIDTH = 160;
const HORIZON_Y = 62;
const PLANE_HEIGHT = 100;

interface Sky {
	top: string;
	bottom: string;
	/** The color of the sun or the moon. */
	light: string;
	ground: string;
}

/** Skies by words of the prompt. The first match counts; the last pattern matches every prompt. */
const SKIES: Array<[RegExp, Sky]> = [
	[
		/\b(night|star|moon|midnight)s?\b/,
		{ top: '#0b1640', bottom: '#34508c', light: '#f4f1d8', ground: '#16283c' },
	],
	[
		/\b(dusk|sunset|evening|golden)s?\b/,
		{ top: '#3d3b74', bottom: '#f59a6c', light: '#ffe2a0', ground: '#3b3a4e' },
	],
	[
		/\b(dawn|sunrise|morning)s?\b/,
		{ top: '#7fa7d6', bottom: '#fbd0b4', light: '#fff2cc', ground: '#5f7a62' },
	],
	[
		/\b(snow|snowy|winter|ice)s?\b/,
		{ top: '#8fb3d1', bottom: '#e6f0f7', light: '#ffffff', ground: '#e9f1f6' },
	],
	[/./, { top: '#5aa0dd', bottom: '#d9eef9', light: '#fff6c8', ground: '#6f9a5b' }],
];

/** Things by words of the prompt. Each function draws one around x = `at`, at a moment from 0 to 1. */
const THINGS: Array<[RegExp, (at: number, moment: number, sky: Sky) => string]> = [
	[
		/\b(mountain|hill|alp|peak)s?\b/,
		() =>
			'<path d="M-5 64 L28 26 L52 54 L78 18 L118 64 Z" fill="#5b6a83"/><path d="M70 31 L78 18 L89 32 L82 30 L78 36 L74 30 Z" fill="#f3f6fa"/><path d="M80 64 L122 34 L170 64 Z" fill="#48566d"/>',
	],
	[
		/\b(city|street|tokyo|york|skyline|building)s?\b/,
		() =>
			Array.from({ length: 13 }, (_unused, index) => {
				const height = 14 + ((index * 37) % 29);
				return `<rect x="${index * 13 - 4}" y="${64 - height}" width="11" height="${height}" fill="#3d4a60"/><rect x="${index * 13 - 1}" y="${68 - height}" width="2" height="3" fill="#ffe08a"/><rect x="${index * 13 + 3}" y="${73 - height}" width="2" height="3" fill="#ffe08a"/>`;
			}).join(''),
	],
	[
		/\b(sea|ocean|beach|lake|river|water|coast|lighthouse|boat|ship|wave)s?\b/,
		(_at, moment) =>
			`<rect x="0" y="${HORIZON_Y}" width="${PLANE_WIDTH}" height="40" fill="#2f6d94"/>${Array.from({ length: 9 }, (_unused, index) => `<path d="M${((index * 41 + moment * 24) % 190) - 20} ${66 + index * 4} q4 -2 8 0 t8 0 t8 0" fill="none" stroke="#a9d3e6" stroke-width="0.8"/>`).join('')}`,
	],
	[
		/\b(forest|tree|wood|jungle|park|garden)s?\b/,
		() =>
			[6, 20, 36, 118, 134, 150]
				.map(
					(x, index) =>
						`<rect x="${x - 1.5}" y="${58 + (index % 3) * 3}" width="3" height="12" fill="#6b4a32"/><path d="M${x - 10} ${62 + (index % 3) * 3} L${x} ${32 + (index % 3) * 3} L${x + 10} ${62 + (index % 3) * 3} Z" fill="#2f6b45"/>`,
				)
				.join(''),
	],
	[
		/\b(lighthouse|tower)s?\b/,
		(at, moment) =>
			`<path d="M${at - 16} 74 q16 -14 32 0 v8 h-32 Z" fill="#4a4f55"/><path d="M${at - 6} 70 L${at - 4} 30 h8 L${at + 6} 70 Z" fill="#f4efe6"/><path d="M${at - 5.4} 58 L${at - 4.9} 48 h9.8 L${at + 5.4} 58 Z M${at - 4.5} 40 L${at - 4} 32 h8 L${at + 4.5} 40 Z" fill="#c8423b"/><rect x="${at - 4}" y="23" width="8" height="7" fill="#fff1a8"/><path d="M${at - 6} 23 L${at} 17 L${at + 6} 23 Z" fill="#7a2b28"/><path d="M${at} 26 L${at + 90} ${14 + 26 * moment} v10 Z" fill="#fff4b0" opacity="0.35"/>`,
	],
	[
		/\b(cat|dog|fox|animal|puppy|kitten|wolf|bear|rabbit)s?\b/,
		(at, moment) =>
			`<g fill="#c9722f"><ellipse cx="${at}" cy="74" rx="12" ry="9"/><circle cx="${at + 10}" cy="62" r="7.5"/><path d="M${at + 4} 58 L${at + 5} 49 L${at + 10} 55 Z M${at + 11} 55 L${at + 16} 49 L${at + 17} 58 Z"/><path d="M${at - 10} 74 q-12 -4 -8 ${-12 - 4 * Math.sin(moment * 12)}" fill="none" stroke="#c9722f" stroke-width="4" stroke-linecap="round"/></g><circle cx="${at + 8}" cy="61" r="1.1" fill="#222"/><circle cx="${at + 13}" cy="61" r="1.1" fill="#222"/>`,
	],
	[
		/\b(woman|man|girl|boy|person|portrait|character|child|people|knight|astronaut)s?\b/,
		(at) =>
			`<circle cx="${at}" cy="44" r="7" fill="#e8b892"/><path d="M${at - 7.5} 44 a7.5 8 0 0 1 15 0 q-3 -5 -15 0" fill="#3a2a22"/><path d="M${at - 12} 80 q0 -27 12 -27 t12 27 Z" fill="#31547d"/>`,
	],
	[
		/\b(shoe|sneaker|bottle|product|watch|mug|perfume|bag|pot)s?\b/,
		(at) =>
			`<ellipse cx="${at}" cy="82" rx="26" ry="5" fill="#000" opacity="0.25"/><rect x="${at - 11}" y="46" width="22" height="36" rx="5" fill="#d95d39"/><rect x="${at - 5}" y="36" width="10" height="11" rx="2" fill="#2f3e46"/><rect x="${at - 8}" y="56" width="16" height="14" fill="#fbf3e4"/>`,
	],
	[
		/\b(balloon)s?\b/,
		(at, moment) =>
			`<g transform="translate(0 ${-10 * moment})"><circle cx="${at + 24}" cy="26" r="12" fill="#e0533d"/><path d="M${at + 15} 34 L${at + 21} 46 h6 L${at + 33} 34" fill="none" stroke="#7b5b3a"/><rect x="${at + 20}" y="46" width="8" height="5" fill="#7b5b3a"/></g>`,
	],
];

const STYLE = `font-family="${FONT}" font-size="3.4" fill="#ffffff"`;
/** Longer prompts are truncated in the picture. */
const MAX_LABEL_CHARS = 84;

/** Draws a scene as SVG, at a moment from 0 to 1 of its film: the things that the text names, at places that depend on the text's hash, above the text. */
export function sceneOf(text: string, { width, height }: Size, moment = 0): string {
	const words = text.toLowerCase();
	const hash = createHash('sha256').update(text).digest();
	const sky = (SKIES.find(([pattern]) => pattern.test(words)) ?? SKIES[SKIES.length - 1])[1];
	const things = THINGS.filter(([pattern]) => pattern.test(words));
	// If the text names no known thing, the hash selects a landscape and a figure.
	const drawnThings = things.length > 0 ? things : [THINGS[hash[5] % 4], THINGS[4 + (hash[6] % 2)]];
	const xOf = (index: number) => 46 + ((hash[7] + index * 67) % 70);
	const lightX = 20 + (hash[0] % 120);
	const hue = hash[1] % 360;
	const clouds = [0, 1, 2]
		.map(
			(index) =>
				`<ellipse cx="${((hash[2 + index] + index * 50 + moment * 26) % 190) - 15}" cy="${10 + index * 8}" rx="${12 + (hash[3 + index] % 9)}" ry="3.2" fill="#ffffff" opacity="0.55"/>`,
		)
		.join('');
	const label = text
		.replace(/\s+/g, ' ')
		.trim()
		.replace(/[^\x20-\x7e]/g, '?');
	const shown = escapeXml(
		label.length > MAX_LABEL_CHARS ? `${label.slice(0, MAX_LABEL_CHARS)}…` : label,
	);
	// The picture always shows the bottom of the plane; a tall picture shows only the middle of its width.
	const viewHeight = Math.min((PLANE_WIDTH * height) / width, PLANE_WIDTH);
	const viewWidth = (viewHeight * width) / height;
	const viewBox = `${(PLANE_WIDTH - viewWidth) / 2} ${PLANE_HEIGHT - viewHeight} ${viewWidth} ${viewHeight}`;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${viewBox}"><defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky.top}"/><stop offset="1" stop-color="${sky.bottom}"/></linearGradient></defs><rect x="-60" y="-60" width="300" height="250" fill="url(#sky)"/><circle cx="${lightX}" cy="${22 + 8 * moment}" r="7" fill="${sky.light}"/>${clouds}<rect x="-60" y="${HORIZON_Y}" width="300" height="150" fill="${sky.ground}"/><rect x="-60" y="${HORIZON_Y}" width="300" height="150" fill="hsl(${hue}, 45%, 45%)" opacity="0.14"/>${drawnThings.map(([, draw], index) => draw(xOf(index), moment, sky)).join('')}<rect x="-60" y="93" width="300" height="90" fill="#000000" opacity="0.45"/><text x="${PLANE_WIDTH / 2}" y="97.6" text-anchor="middle" ${STYLE}>${shown}</text></svg>`;
}
