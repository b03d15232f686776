/** Media types by extension, for what models make or take. If several extensions have one type, the first names a file of this type. */
export const TYPE_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
	Object.entries({
		png: 'image/png',
		jpg: 'image/jpeg',
		jpeg: 'image/jpeg',
		jfif: 'image/jpeg',
		webp: 'image/webp',
		gif: 'image/gif',
		svg: 'image/svg+xml',
		bmp: 'image/bmp',
		tiff: 'image/tiff',
		tif: 'image/tiff',
		avif: 'image/avif',
		heic: 'image/heic',
		heif: 'image/heif',
		jxl: 'image/jxl',
		ico: 'image/x-icon',
		mp4: 'video/mp4',
		mov: 'video/quicktime',
		webm: 'video/webm',
		m4v: 'video/x-m4v',
		mkv: 'video/x-matroska',
		avi: 'video/x-msvideo',
		mpeg: 'video/mpeg',
		mpg: 'video/mpeg',
		ogv: 'video/ogg',
		wmv: 'video/x-ms-wmv',
		flv: 'video/x-flv',
		'3gp': 'video/3gpp',
		mp3: 'audio/mpeg',
		wav: 'audio/wav',
		ogg: 'audio/ogg',
		oga: 'audio/ogg',
		opus: 'audio/ogg',
		flac: 'audio/flac',
		m4a: 'audio/mp4',
		aac: 'audio/aac',
		aiff: 'audio/aiff',
		aif: 'audio/aiff',
		wma: 'audio/x-ms-wma',
		amr: 'audio/amr',
		pcm: 'audio/pcm',
		weba: 'audio/webm',
		mid: 'audio/midi',
		glb: 'model/gltf-binary',
		gltf: 'model/gltf+json',
		obj: 'model/obj',
		stl: 'model/stl',
		ply: 'model/ply',
		fbx: 'model/fbx',
		usdz: 'model/vnd.usdz+zip',
		pdf: 'application/pdf',
		html: 'text/html',
		htm: 'text/html',
		zip: 'application/zip',
	}),
);

/** Other names of these types that aren't made of an extension. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
	Object.entries({
		'image/vnd.microsoft.icon': 'image/x-icon',
		'image/x-ms-bmp': 'image/bmp',
		'audio/mpeg3': 'audio/mpeg',
		'audio/wave': 'audio/wav',
		'audio/vnd.wave': 'audio/wav',
		'audio/l16': 'audio/pcm',
		'application/ogg': 'audio/ogg',
		'application/x-zip-compressed': 'application/zip',
	}),
);

/** Returns a bare type under the name that it has in this file. Some senders name it after the extension: image/jpg, audio/mp3, audio/x-m4a. */
function usualType(type: string): string {
	const plain = type.replace('/x-', '/');
	const types = [...TYPE_BY_EXTENSION.values()];
	const known = [type, plain].find((name) => types.includes(name)) ?? OTHER_NAMES.get(type);
	if (known !== undefined) return known;
	const named = typeByExtension(asExtension(type)) ?? '';
	return named.startsWith(type.split('/', 1)[0]) ? named : type;
}

/** Returns what the name of a type says as an extension, such as `.opus` for audio/opus. */
function asExtension(type: string): string {
	return type.replace(/^\w+\/(x-)?/, '.');
}

/** Returns the file extension of a URL or file name, lower-case, without the dot; '' if there is none. */
export function extensionOf(name: string): string {
	const path = name.split(/[?#]/, 1)[0];
	return /\.([a-z0-9]{1,12})$/i.exec(path)?.[1].toLowerCase() ?? '';
}

export function typeByExtension(name: string): string | undefined {
	return TYPE_BY_EXTENSION.get(extensionOf(name));
}

/**
 * Returns the extension of a file with this MIME type, without the dot: the first one in `names` that fits the type, or else the type's usual one. `names`:
 * the file's names and URLs. If the type isn't known here, an unknown extension fits.
 */
export function extensionOfType(mimeType: string, ...names: string[]): string {
	const bare = bareType(mimeType);
	const type = usualType(bare);
	const own = [...names, ...(bare === type ? [] : [asExtension(bare)])].find(
		(name) => typeByExtension(name) === type,
	);
	if (own !== undefined) return extensionOf(own);
	const [usual] = [...TYPE_BY_EXTENSION].find(([, known]) => known === type) ?? [];
	if (usual !== undefined) return usual;
	const fits = (name: string) => isGeneralType(type) || typeByExtension(name) === undefined;
	return names.filter(fits).map(extensionOf).find(Boolean) ?? 'bin';
}

/** Returns a MIME type without parameters, lower-case; '' if it isn't one. */
export function bareType(contentType: string | undefined): string {
	const type = (contentType ?? '').split(';', 1)[0].trim().toLowerCase();
	return /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(type) ? type : '';
}

const GENERAL_TYPE = 'application/octet-stream';

/** Types that senders use for files of any type. */
const GENERAL_TYPES = /octet-?stream|download|\/(x-)?(binary|unknown)$|^text\/plain$/;

/** Whether a bare type says nothing about what a file is. */
export function isGeneralType(type: string): boolean {
	return type === '' || GENERAL_TYPES.test(type);
}

/**
 * Returns a file's type: the one that its first bytes show (docs/service.md S63), otherwise the declared one. If that says nothing, the type of the first
 * extension in `names` that is known.
 */
export function typeOfFile(
	declaredType: string | undefined,
	names: string[],
	start?: Uint8Array,
): string {
	const type = bareType(declaredType);
	const named = names.map(typeByExtension).find((known) => known !== undefined);
	const declared = isGeneralType(type) ? named : type;
	const found = start && typeBySignature(Buffer.from(start));
	if (found === undefined) return declared ?? (type || GENERAL_TYPE);
	if (declared === undefined) return found;
	return ALIKE[found]?.test(usualType(declared)) ? declared : found;
}

/** Types whose files begin like those of another type, so that their first bytes don't show which of them they are. */
const ALIKE: Readonly<Record<string, RegExp>> = {
	'video/mp4': /^(audio\/mp4|video\/(x-m4v|quicktime|3gpp))$/,
	'video/3gpp': /^(audio\/(mp4|3gpp)|video\/mp4)$/,
	'video/webm': /^(audio\/webm|video\/x-matroska)$/,
	'audio/ogg': /^video\/ogg$/,
	'audio/mpeg': /^audio\/(aac|flac|pcm)$/,
	'image/heif': /^image\/(heic|avif)$/,
	'image/tiff': /^image\/x-/,
	'application/zip': /^(application|model)\//,
};

export function isMediaType(mimeType: string): boolean {
	return /^(image|video|audio|model)\//.test(mimeType);
}

/** The first bytes of files, in Latin-1; a question mark is any byte. The first that fits counts. No text begins like this. */
const SIGNATURES: Record<string, string> = {
	'\x89PNG': 'image/png',
	'\xff\xd8\xff': 'image/jpeg',
	'GIF8?a': 'image/gif',
	'II*\0': 'image/tiff',
	'MM\0*': 'image/tiff',
	'RIFF????WEBP': 'image/webp',
	'RIFF????WAVE': 'audio/wav',
	'RIFF????AVI ': 'video/x-msvideo',
	'????ftypM4A': 'audio/mp4',
	'????ftypM4B': 'audio/mp4',
	'????ftypavi': 'image/avif',
	'????ftyphei': 'image/heic',
	'????ftyphev': 'image/heic',
	'????ftypmif1': 'image/heif',
	'????ftypmsf1': 'image/heif',
	'????ftypqt': 'video/quicktime',
	'????ftyp3g': 'video/3gpp',
	'????ftyp': 'video/mp4',
	'\x1aE\xdf\xa3': 'video/webm',
	'ID3\x02': 'audio/mpeg',
	'ID3\x03': 'audio/mpeg',
	'ID3\x04': 'audio/mpeg',
	'OggS\0': 'audio/ogg',
	fLaC: 'audio/flac',
	'%PDF-': 'application/pdf',
	'PK\x03\x04': 'application/zip',
	glTF: 'model/gltf-binary',
};
/** An MP3 without tags begins with a frame. Its first bytes also occur in other data, such as a path in base64, so a short text isn't an MP3. */
const MP3_FRAME = /^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/;
const MIN_MP3_BYTES = 400;

/** Returns the MIME type according to a file's first bytes; undefined if they match no known signature (docs/service.md S63). */
export function typeBySignature(bytes: Buffer): string | undefined {
	const start = bytes.toString('latin1', 0, 16);
	if (bytes.length >= MIN_MP3_BYTES && MP3_FRAME.test(start)) return 'audio/mpeg';
	const found = Object.keys(SIGNATURES).find((signature) =>
		[...signature].every((char, at) => char === '?' || char === start[at]),
	);
	return found && SIGNATURES[found];
}

/** Whether these bytes begin a web page. */
export function isPage(bytes: Uint8Array): boolean {
	const start = Buffer.from(bytes.subarray(0, 300)).toString('latin1');
	return /^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html)\b/i.test(start);
}
