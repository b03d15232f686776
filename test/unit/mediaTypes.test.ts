/** The media types and names of files. */
import {
	bareType,
	extensionOfType,
	extensionOf,
	fileStem,
	isMediaType,
	safeFileName,
	typeByExtension,
	typeBySignature,
} from '../../nodes/shared/media/mediaTypes';

/** An MP3 frame of 128 kbit/s at 44.1 kHz. */
const MP3_FRAME = `\xff\xfb\x90\x64${'\0'.repeat(413)}`;

it.each([
	['\x89PNG\r\n\x1a\n', 'image/png'],
	['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
	['GIF89a', 'image/gif'],
	['RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
	['RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
	['RIFF\x24\0\0\0AVI LIST', 'video/x-msvideo'],
	['\0\0\0\x20ftypmp42', 'video/mp4'],
	['\0\0\0\x20ftypM4A ', 'audio/mp4'],
	['\0\0\0\x20ftypqt  ', 'video/quicktime'],
	['\0\0\0\x20ftypavif', 'image/avif'],
	['\0\0\0\x20ftypheic', 'image/heic'],
	['\x1a\x45\xdf\xa3', 'video/webm'],
	['ID3\x03', 'audio/mpeg'],
	[`${MP3_FRAME}${MP3_FRAME}`, 'audio/mpeg'],
	// A single frame may be a coincidence.
	[MP3_FRAME, undefined],
	['OggS\0', 'audio/ogg'],
	['fLaC\0', 'audio/flac'],
	['%PDF-1.7', 'application/pdf'],
	['PK\x03\x04', 'application/zip'],
	['glTF\x02', 'model/gltf-binary'],
	['BM\x36\x10\0\0\0\0\0\0\x36\0\0\0', 'image/bmp'],
	['<?xml version="1.0"?>\n<svg width="1">', 'image/svg+xml'],
	// No known signature.
	['{"choices": []}', undefined],
	['BMW makes cars, and this text says so.', undefined],
	['<!doctype html><html>', undefined],
	['<svgs are fun>', undefined],
	['RIFF\x24\0\0\0XXXX', undefined],
	['ftypisom', undefined],
	['\xff\xf1\x50\x80', undefined],
	['data:image/png;base64,iVBOR', undefined],
])('the first bytes %j mean the type %s', (start, type) => {
	expect(typeBySignature(Buffer.from(start.padEnd(32, '\0'), 'latin1'))).toBe(type);
});

it.each([
	['https://x.example/a/b.PNG?sig=1.jpg#c.gif', 'png', 'image/png'],
	['photo.tar.gz', 'gz', undefined],
	['https://x.example/a.b/c', '', undefined],
	['https://x.example/v.mp4?x=1', 'mp4', 'video/mp4'],
	['.hidden', 'hidden', undefined],
	['dot.', '', undefined],
	['a.constructor', 'constructor', undefined],
])('%p has the extension %p and the type %p', (name, extension, type) => {
	expect([extensionOf(name), typeByExtension(name)]).toEqual([extension, type]);
});

it.each<[string | undefined, string, string, boolean]>([
	['image/png', 'image/png', 'png', true],
	['IMAGE/JPEG; charset=binary', 'image/jpeg', 'jpg', true],
	['image/jpg', 'image/jpg', 'jpg', true],
	[' audio/mpeg', 'audio/mpeg', 'mp3', true],
	['audio/x-wav', 'audio/x-wav', 'wav', true],
	['model/obj', 'model/obj', 'obj', true],
	['application/octet-stream', 'application/octet-stream', 'bin', false],
	['text/html', 'text/html', 'html', false],
	['imagery/x', 'imagery/x', 'bin', false],
	['png', '', 'bin', false],
	['image/', '', 'bin', false],
	['image/png, image/jpeg', '', 'bin', false],
	['image/p\r\nx: y', '', 'bin', false],
	[undefined, '', 'bin', false],
])(
	'the content type %p is the type %p with the extension %p; is media: %p',
	(label, type, extension, media) => {
		const bare = bareType(label);
		expect([bare, extensionOfType(bare), isMediaType(bare)]).toEqual([type, extension, media]);
	},
);

it.each([
	['cat.png', 'image/png', 'cat.png'],
	['a/b/../cat.PNG', 'image/png', 'cat.png'],
	['C:\\Users\\x\\cat.png', 'image/png', 'cat.png'],
	['../../etc/passwd', 'image/png', 'passwd.png'],
	['no extension', 'video/mp4', 'no extension.mp4'],
	['photo#1.png', 'image/png', 'photo1.png'],
	['evil\r\nx: y.png', 'image/png', 'evilx y.png'],
	['.htaccess', 'image/png', 'htaccess.png'],
	['..', 'image/png', 'fallback.png'],
	[undefined, 'audio/mpeg', 'fallback.mp3'],
	['模型.webp', 'image/webp', '模型.webp'],
	// The media type decides the extension if the name has a wrong or a disguised extension.
	['photo.png', 'image/webp', 'photo.webp'],
	['photo.jpeg', 'image/jpg', 'photo.jpeg'],
	['\u202egnp.exe', 'image/png', 'gnp.exe.png'],
	['model v1.5', 'image/png', 'model v1.5.png'],
	['weights.safetensors', 'application/octet-stream', 'weights.safetensors'],
	['page.html', 'image/png', 'page.png'],
	// A long name isn't cut within a character.
	[`${'a'.repeat(99)}😀😀.png`, 'image/png', `${'a'.repeat(99)}😀.png`],
])('the safe file name of %p (%s) is %p', (name, type, safe) => {
	expect(safeFileName(name, type, 'fallback')).toBe(safe);
});

it('names that the node makes are safe too', () => {
	expect(fileStem('', '../a/b', 1)).toBe('output-ab-1');
	expect(safeFileName('..', 'image/png', '../a/b')).toBe('ab.png');
});
