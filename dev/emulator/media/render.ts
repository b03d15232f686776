/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import stored from './files.json';

export type MediaKind = 'image' | 'video' | 'audio';

export const mediaTypes: Record<MediaKind, { contentType: string; extension: string }> = {
	image: { contentType: 'image/png', extension: 'png' },
	video: { contentType: 'video/mp4', extension: 'mp4' },
	audio: { contentType: 'audio/wav', extension: 'wav' },
};

export interface MediaRequest {
	kind: MediaKind;
	/** What the file shows. */
	text: string;
	/** `real` draws pictures that show the text. */
	quality: 'tiny' | 'real';
}

/** Returns the bytes of a media file. Equal requests produce equal bytes, and different texts different ones. */
export async function renderMedia({ kind, text, quality }: MediaRequest): Promise<Buffer> {
	const hash = createHash('sha256').update(text).digest();
	if (kind === 'image' && quality === 'real') return await drawPicture(text, hash);
	// Each stored file ends where 32 bytes may follow: after a picture's data, in a box that players skip, as the samples of a sound.
	return Buffer.concat([Buffer.from(stored[kind], 'base64'), hash]);
}

const SIDE = 512;
const FONT = 'DejaVu Sans';
const LINE_CHARS = 26;
const MAX_LINES = 9;

type Draw = (svg: string) => Buffer;
let loading: Promise<Draw> | undefined;

/** Draws the text on colors that depend on it. */
async function drawPicture(text: string, hash: Buffer): Promise<Buffer> {
	// Loaded at the first call, because most emulators never need it. A second call of `initWasm` would throw.
	loading ??= prepareDraw();
	const draw = await loading;
	const words = text.replace(/\s+/g, ' ').replace(/[^ -~]/g, '?');
	const lines = words.match(new RegExp(`.{1,${LINE_CHARS}}(?: |$)|.{${LINE_CHARS}}`, 'g')) ?? [];
	const spans = lines.slice(0, MAX_LINES).map((line, at) => {
		const escaped = line.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
		return `<tspan x="40" y="${80 + 44 * at}">${escaped}</tspan>`;
	});
	const colors = [hash[0], hash[1]].map((hue) => `hsl(${Math.round((hue * 360) / 256)}, 45%, 35%)`);
	return draw(`<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">
<linearGradient id="colors" x2="1" y2="1"><stop stop-color="${colors[0]}"/><stop offset="1" stop-color="${colors[1]}"/></linearGradient>
<rect width="${SIDE}" height="${SIDE}" fill="url(#colors)"/>
<text font-family="${FONT}" font-size="30" fill="#ffffff">${spans.join('')}</text></svg>`);
}

async function prepareDraw(): Promise<Draw> {
	const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
	const { resolve } = createRequire(__filename);
	await initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')));
	// A font from npm doesn't have to be installed on the computer.
	const fontBuffers = [readFileSync(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))];
	return (svg) =>
		Buffer.from(
			new Resvg(svg, { font: { fontBuffers, defaultFontFamily: FONT } }).render().asPng(),
		);
}
