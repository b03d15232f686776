import fc from 'fast-check';

import {
	bareType,
	extensionFor,
	extensionOf,
	isMediaType,
	safeFileName,
	typeByExtension,
	typeBySignature,
} from '../../nodes/shared/media/mediaTypes';

const bytes = (text: string) => Buffer.from(text.padEnd(32, '\0'), 'latin1');

describe('the type by the first bytes', () => {
	it.each([
		['\x89PNG\r\n\x1a\n', 'image/png'],
		['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
		['GIF89a', 'image/gif'],
		['RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
		['RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
		['RIFF\x24\0\0\0AVI LIST', 'video/x-msvideo'],
		['\0\0\0\x20ftypisom', 'video/mp4'],
		['\0\0\0\x20ftypmp42', 'video/mp4'],
		['\0\0\0\x20ftypM4A ', 'audio/mp4'],
		['\0\0\0\x20ftypqt  ', 'video/quicktime'],
		['\0\0\0\x20ftypavif', 'image/avif'],
		['\0\0\0\x20ftypheic', 'image/heic'],
		['\x1a\x45\xdf\xa3', 'video/webm'],
		['ID3\x03', 'audio/mpeg'],
		['\xff\xfb\x90\x64', 'audio/mpeg'],
		['\xff\xf3\x40\xc4', 'audio/mpeg'],
		['OggS\0', 'audio/ogg'],
		['fLaC\0', 'audio/flac'],
		['%PDF-1.7', 'application/pdf'],
		['PK\x03\x04', 'application/zip'],
		['glTF\x02', 'model/gltf-binary'],
		['BM\x36\x10\0\0\0\0\0\0\x36\0\0\0', 'image/bmp'],
		['<svg xmlns="http://www.w3.org/2000/svg">', 'image/svg+xml'],
		['<?xml version="1.0"?>\n<svg width="1">', 'image/svg+xml'],
	])('of %j is %s', (start, type) => {
		expect(typeBySignature(bytes(start))).toBe(type);
	});

	it.each([
		'{"choices": []}',
		'[1]',
		'plain text',
		'BMW makes cars, and this text says so.',
		'<!doctype html><html>',
		'<svgs are fun>',
		'RIFF\x24\0\0\0XXXX',
		'ftypisom',
		'\xff\xf1\x50\x80',
		'data:image/png;base64,iVBOR',
	])('of %j is unknown', (start) => {
		expect(typeBySignature(bytes(start))).toBeUndefined();
	});

	it('of hardly any bytes is unknown', () => {
		for (const start of ['', '\x89', 'BM', '\xff\xd8'])
			expect(typeBySignature(Buffer.from(start, 'latin1'))).toBeUndefined();
	});

	it('is a type with an extension of its own, whatever the bytes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 40 }), (start) => {
				const type = typeBySignature(Buffer.from(start));
				if (type !== undefined) expect(extensionFor(type)).not.toBe('bin');
			}),
			{ numRuns: 1_000, seed: 1 },
		);
	});
});

describe('extensions and types', () => {
	it.each([
		['https://x.example/a/b.PNG?sig=1.jpg#c.gif', 'png'],
		['photo.tar.gz', 'gz'],
		['https://x.example/a.b/c', ''],
		['https://x.example/', ''],
		['.hidden', 'hidden'],
		['dot.', ''],
		['', ''],
	])('the extension of %p is %p', (name, extension) => {
		expect(extensionOf(name)).toBe(extension);
	});

	it.each([
		['a.JPG', 'image/jpeg'],
		['https://x.example/v.mp4?x=1', 'video/mp4'],
		['a.xyz', undefined],
		['a.constructor', undefined],
		['a', undefined],
	])('the type of %p is %p', (name, type) => {
		expect(typeByExtension(name)).toBe(type);
	});

	it.each([
		['image/png', 'png'],
		['image/jpeg', 'jpg'],
		['image/jpg', 'jpg'],
		['IMAGE/PNG; charset=binary', 'png'],
		['audio/mp3', 'mp3'],
		['audio/x-wav', 'wav'],
		['audio/mpeg', 'mp3'],
		['video/mp4', 'mp4'],
		['application/octet-stream', 'bin'],
		['application/x-unknown', 'bin'],
		['', 'bin'],
	])('the extension for %p is %p', (type, extension) => {
		expect(extensionFor(type)).toBe(extension);
	});

	it.each([
		['image/PNG ; q=1', 'image/png'],
		[' audio/mpeg', 'audio/mpeg'],
		['image/svg+xml', 'image/svg+xml'],
		['png', ''],
		['image/', ''],
		['image/png, image/jpeg', ''],
		['image/p\r\nx: y', ''],
		[undefined, ''],
	])('the bare type of %p is %p', (label, type) => {
		expect(bareType(label)).toBe(type);
	});

	it('tell media from the rest', () => {
		expect(['image/png', 'video/mp4', 'audio/wav', 'model/obj'].every(isMediaType)).toBe(true);
		expect(['application/json', 'text/html', 'imagery/x', ''].some(isMediaType)).toBe(false);
	});
});

describe('a safe file name', () => {
	it.each([
		['cat.png', 'image/png', 'cat.png'],
		['a/b/../cat.PNG', 'image/png', 'cat.png'],
		['C:\\Users\\x\\cat.png', 'image/png', 'cat.png'],
		['../../etc/passwd', 'image/png', 'passwd.png'],
		['no extension', 'video/mp4', 'no extension.mp4'],
		['photo#1.png', 'image/png', 'photo1.png'],
		['a<b>:"|?*.png', 'image/png', 'ab.png'],
		['evil\r\nx: y.png', 'image/png', 'evilx y.png'],
		['.htaccess', 'image/png', 'htaccess.png'],
		['..', 'image/png', 'fallback.png'],
		['', 'image/png', 'fallback.png'],
		[undefined, 'audio/mpeg', 'fallback.mp3'],
		['模型.webp', 'image/webp', '模型.webp'],
		// The type decides, where the name says another one or hides what it is.
		['photo.png', 'image/webp', 'photo.webp'],
		['photo.jpeg', 'image/jpg', 'photo.jpeg'],
		['clip.mp3', 'video/mp4', 'clip.mp4'],
		['\u202egnp.exe', 'image/png', 'gnp.exe.png'],
		['in\u200bvoice\u2066.png', 'image/png', 'invoice.png'],
		['model v1.5', 'image/png', 'model v1.5.png'],
		['weights.safetensors', 'application/octet-stream', 'weights.safetensors'],
		['weights.ckpt', 'application/octet-stream', 'weights.ckpt'],
		['page.html', 'image/png', 'page.png'],
	])('of %p (%s) is %p', (name, type, safe) => {
		expect(safeFileName(name, type, 'fallback')).toBe(safe);
	});

	it('does not depend on a good fallback', () => {
		expect(safeFileName('', 'image/png', 'segmind-../../x-data')).toBe('segmind-....x-data.png');
		expect(safeFileName('', 'image/png', '/')).toBe('file.png');
	});

	it('ends between two characters when it is cut', () => {
		const safe = safeFileName(`${'a'.repeat(99)}😀😀.png`, 'image/png', 'f');
		expect(safe).toBe(`${'a'.repeat(99)}😀.png`);
	});

	it('has no path, no control character, a bounded length and an extension, whatever is given', () => {
		const name = fc.oneof(
			fc.string({ unit: 'binary', maxLength: 300 }),
			fc.string({
				unit: fc.constantFrom(
					'.',
					'/',
					'\\',
					'\0',
					'\n',
					'\u0085',
					'\u202e',
					'\u2028',
					'.png',
					'.exe',
					':',
					' ',
					'#',
					'?',
					'a',
					'😀',
					'\ud800',
				),
				maxLength: 300,
			}),
		);
		fc.assert(
			fc.property(
				fc.option(name, { nil: undefined }),
				fc.oneof(fc.constantFrom('image/png', 'text/plain'), fc.string()),
				name,
				(given, type, fallback) => {
					const safe = safeFileName(given, type, fallback);
					expect(safe).not.toMatch(/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}<>:"|?*#]/u);
					if (type === 'image/png') expect(safe).toMatch(/\.png$/);
					expect(safe).toMatch(/^[^.\s].*\.[a-z0-9]{1,12}$/su);
					expect(Array.from(safe).length).toBeLessThanOrEqual(113);
				},
			),
			{ numRuns: 3_000, seed: 2 },
		);
	});
});
