/** Media types by extension, for the files that models make or take. */
const TYPE_BY_EXTENSION: Record<string, string> = {
	png: 'image/png',
	jpg: 'image/jpeg',
	jpeg: 'image/jpeg',
	webp: 'image/webp',
	gif: 'image/gif',
	bmp: 'image/bmp',
	svg: 'image/svg+xml',
	tif: 'image/tiff',
	tiff: 'image/tiff',
	avif: 'image/avif',
	heic: 'image/heic',
	mp4: 'video/mp4',
	mov: 'video/quicktime',
	webm: 'video/webm',
	mkv: 'video/x-matroska',
	avi: 'video/x-msvideo',
	mp3: 'audio/mpeg',
	wav: 'audio/wav',
	ogg: 'audio/ogg',
	opus: 'audio/opus',
	flac: 'audio/flac',
	m4a: 'audio/mp4',
	aac: 'audio/aac',
	aiff: 'audio/aiff',
	glb: 'model/gltf-binary',
	obj: 'model/obj',
	pdf: 'application/pdf',
	html: 'text/html',
	zip: 'application/zip',
	safetensors: 'application/octet-stream',
};

/** Returns the file extension of a URL or file name, lower-case, without the dot; '' if there is none. */
export function extensionOf(name: string): string {
	const path = name.split(/[?#]/, 1)[0];
	return /\.([a-z0-9]{1,12})$/i.exec(path)?.[1].toLowerCase() ?? '';
}

export function typeByExtension(name: string): string | undefined {
	const extension = extensionOf(name);
	return Object.hasOwn(TYPE_BY_EXTENSION, extension) ? TYPE_BY_EXTENSION[extension] : undefined;
}

/** Other names that some senders use for these types. */
const ALIASES: Record<string, string> = {
	'image/jpg': 'image/jpeg',
	'audio/mp3': 'audio/mpeg',
	'audio/wave': 'audio/wav',
	'audio/x-wav': 'audio/wav',
	'audio/x-m4a': 'audio/mp4',
	'audio/x-flac': 'audio/flac',
};

/** Returns the usual extension of a MIME type, without the dot. */
export function extensionOfType(mimeType: string): string {
	const bare = bareType(mimeType);
	const type = ALIASES[bare] ?? bare;
	// This type says nothing about the content.
	if (type === 'application/octet-stream') return 'bin';
	return Object.entries(TYPE_BY_EXTENSION).find(([, other]) => other === type)?.[0] ?? 'bin';
}

/** Returns a MIME type without parameters, lower-case; '' if it isn't one. */
export function bareType(contentType: string | undefined): string {
	const type = (contentType ?? '').split(';', 1)[0].trim().toLowerCase();
	return /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(type) ? type : '';
}

export function isMediaType(mimeType: string): boolean {
	return /^(image|video|audio|model)\//.test(mimeType);
}

/** Returns the MIME type according to a file's first bytes; undefined if they match no known signature (docs/service.md S63). */
export function typeBySignature(bytes: Buffer): string | undefined {
	const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
	if (bytes.length < 4) return undefined;
	if (bytes.readUInt32BE(0) === 0x89504e47) return 'image/png';
	if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
	if (ascii(0, 4) === 'GIF8') return 'image/gif';
	if (ascii(0, 4) === 'RIFF')
		return (
			{ WEBP: 'image/webp', WAVE: 'audio/wav', 'AVI ': 'video/x-msvideo' } as Record<string, string>
		)[ascii(8, 12)];
	if (ascii(4, 8) === 'ftyp') {
		const brand = ascii(8, 12);
		if (brand === 'avif') return 'image/avif';
		if (brand === 'heic') return 'image/heic';
		return brand.startsWith('M4A')
			? 'audio/mp4'
			: brand === 'qt  '
				? 'video/quicktime'
				: 'video/mp4';
	}
	if (bytes.readUInt32BE(0) === 0x1a45dfa3) return 'video/webm';
	if (ascii(0, 3) === 'ID3' || isMp3(bytes)) return 'audio/mpeg';
	if (ascii(0, 4) === 'OggS') return 'audio/ogg';
	if (ascii(0, 4) === 'fLaC') return 'audio/flac';
	if (ascii(0, 5) === '%PDF-') return 'application/pdf';
	if (ascii(0, 4) === 'PK\u0003\u0004') return 'application/zip';
	if (ascii(0, 4) === 'glTF') return 'model/gltf-binary';
	// Four reserved bytes distinguish a bitmap from text that begins with BM.
	if (ascii(0, 2) === 'BM' && bytes.length > 14 && bytes.readUInt32LE(6) === 0) return 'image/bmp';
	if (/^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(ascii(0, 300))) return 'image/svg+xml';
	return undefined;
}

/** Bit rates of an MP3 frame by index: first those of MPEG 1, then those of MPEG 2 and 2.5. */
const BIT_RATES_KBIT = [
	[0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	[0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
/** Sample rates of MPEG 1 by index; those of MPEG 2 are half as high, those of MPEG 2.5 a quarter. */
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];

/** Returns the length in bytes of the MP3 frame that begins at `at`; 0 if no frame begins there. */
function mp3FrameLength(bytes: Buffer, at: number): number {
	if (bytes.length < at + 4 || bytes[at] !== 0xff || (bytes[at + 1] & 0xe6) !== 0xe2) return 0;
	const version = (bytes[at + 1] >> 3) & 3;
	if (version === 1) return 0;
	const isMpeg1 = version === 3;
	const bitRate = BIT_RATES_KBIT[isMpeg1 ? 0 : 1][bytes[at + 2] >> 4] ?? 0;
	const sampleRate = (SAMPLE_RATES_HZ[(bytes[at + 2] >> 2) & 3] ?? 0) / [4, 1, 2, 1][version];
	if (bitRate === 0 || sampleRate === 0) return 0;
	const padding = (bytes[at + 2] >> 1) & 1;
	return Math.floor(((isMpeg1 ? 144 : 72) * bitRate * 1_000) / sampleRate) + padding;
}

/** Whether the bytes begin with two MP3 frames. One isn't enough, because its first bytes also occur in other data. */
function isMp3(bytes: Buffer): boolean {
	const length = mp3FrameLength(bytes, 0);
	return length > 0 && mp3FrameLength(bytes, length) > 0;
}

/** Whether these bytes begin a web page. */
export function isPage(bytes: Buffer): boolean {
	return /^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html)\b/i.test(bytes.toString('latin1', 0, 300));
}

/** Longest file name without its extension. */
const MAX_NAME_CHARS = 100;

/**
 * Returns a file name that is safe anywhere: without path and invisible characters, not too long, and with the extension of the type. The name
 * keeps its own extension if that matches the type, or if the type says nothing about the content.
 */
export function safeFileName(name: string | undefined, mimeType: string, fallback: string): string {
	const clean = removeUnsafeChars((name ?? '').slice(0, 2_000).split(/[\\/]/).pop() ?? '');
	const ownExtension = extensionOf(clean);
	const usualExtension = extensionOfType(mimeType);
	const keepsExtension =
		ownExtension !== '' &&
		(usualExtension === 'bin' || extensionOfType(typeByExtension(clean) ?? '') === usualExtension);
	const hasKnownExtension = keepsExtension || typeByExtension(clean) !== undefined;
	const stem = hasKnownExtension ? clean.slice(0, -ownExtension.length - 1) : clean;
	return `${truncate(stem) || truncate(removeUnsafeChars(fallback.replace(/[\\/]/g, ''))) || 'file'}.${keepsExtension ? ownExtension : usualExtension}`;
}

function removeUnsafeChars(name: string): string {
	return name
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}<>:"|?*#]/gu, '')
		.replace(/^[.\s]+/, '')
		.trim();
}

/** Cuts a name to `MAX_NAME_CHARS`, between characters, never inside one. */
function truncate(name: string): string {
	return Array.from(name.slice(0, 2 * MAX_NAME_CHARS))
		.slice(0, MAX_NAME_CHARS)
		.join('')
		.trim();
}

/** Longest part of a generated file name that comes from the prompt. */
const MAX_STEM_CHARS = 40;

/** Returns the name of a generated file without extension: the first words of the prompt and a part of the request ID, such as `lighthouse-at-dusk-83ac1f`. */
export function fileStem(text: string, requestId: string | undefined, index: number): string {
	const words =
		text
			.slice(0, 500)
			.toLowerCase()
			.match(/[\p{L}\p{N}.]+/gu) ?? [];
	let stem = '';
	for (const word of words.map((one) => one.replace(/^\.+|\.+$/g, '')).filter(Boolean)) {
		if (stem !== '' && stem.length + word.length >= MAX_STEM_CHARS) break;
		stem += `${stem === '' ? '' : '-'}${truncate(word.slice(0, MAX_STEM_CHARS))}`;
	}
	const id = (requestId ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 6);
	return [stem || 'output', id, index === 0 ? '' : String(index)].filter(Boolean).join('-');
}
