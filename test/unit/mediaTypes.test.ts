/** The media types and names of files. */
import {
	bareType,
	extensionOfType,
	extensionOf,
	isMediaType,
	TYPE_BY_EXTENSION,
	typeByExtension,
	typeBySignature,
	typeOfFile,
} from '../../nodes/shared/media/mediaTypes';
import { fileStem } from '../../nodes/shared/media/fileNames';

const LONG = '\0'.repeat(400);

it.each([
	['\x89PNG\r\n\x1a\n', 'image/png'],
	['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
	['GIF89a', 'image/gif'],
	['RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
	['RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
	['\0\0\0\x20ftypmp42', 'video/mp4'],
	['\0\0\0\x20ftypM4A ', 'audio/mp4'],
	['\0\0\0\x20ftypavif', 'image/avif'],
	['\0\0\0\x20ftypheic', 'image/heic'],
	['\x1a\x45\xdf\xa3', 'video/webm'],
	['ID3\x03', 'audio/mpeg'],
	[`\xff\xfb\x90\x64${LONG}`, 'audio/mpeg'],
	['OggS\0', 'audio/ogg'],
	['fLaC\0', 'audio/flac'],
	['%PDF-1.7', 'application/pdf'],
	['PK\x03\x04', 'application/zip'],
	['glTF\x02', 'model/gltf-binary'],
	// No known signature.
	['\xff\xfb\x90\x64', undefined],
	[`\xff\xfe${LONG}`, undefined],
	['{"choices": []}', undefined],
	['RIFF\x24\0\0\0XXXX', undefined],
	['ftypisom', undefined],
	['ID3 tags in MP3 files', undefined],
	['GIF8 was never released', undefined],
])('the first bytes %j mean the type %s', (start, type) => {
	expect(typeBySignature(Buffer.from(start, 'latin1'))).toBe(type);
});

it.each([
	['https://x.example/a/b.PNG?sig=1.jpg#c.gif', 'png', 'image/png'],
	['https://x.example/a.b/c', '', undefined],
	['https://x.example/v.mp4?x=1', 'mp4', 'video/mp4'],
	['a.constructor', 'constructor', undefined],
])('%p has the extension %p and the type %p', (name, extension, type) => {
	expect([extensionOf(name), typeByExtension(name)]).toEqual([extension, type]);
});

it.each<[string | undefined, string, string, boolean]>([
	['image/png', 'image/png', 'png', true],
	['IMAGE/JPEG; charset=binary', 'image/jpeg', 'jpg', true],
	['image/jpg', 'image/jpg', 'jpg', true],
	['audio/x-wav', 'audio/x-wav', 'wav', true],
	['audio/opus', 'audio/opus', 'opus', true],
	['audio/x-aac', 'audio/x-aac', 'aac', true],
	['video/x-matroska', 'video/x-matroska', 'mkv', true],
	['image/tiff', 'image/tiff', 'tiff', true],
	['audio/mp3', 'audio/mp3', 'mp3', true],
	['audio/x-m4a', 'audio/x-m4a', 'm4a', true],
	['audio/x-mpeg', 'audio/x-mpeg', 'mp3', true],
	['audio/vnd.wave', 'audio/vnd.wave', 'wav', true],
	['audio/L16;rate=24000', 'audio/l16', 'pcm', true],
	['image/vnd.microsoft.icon', 'image/vnd.microsoft.icon', 'ico', true],
	['application/octet-stream', 'application/octet-stream', 'bin', false],
	['imagery/x', 'imagery/x', 'bin', false],
	['png', '', 'bin', false],
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

it.each([...TYPE_BY_EXTENSION])(
	'a file named .%s of type %s keeps its extension, and without a name gets one of this type',
	(extension, type) => {
		expect(extensionOfType(type, `x.${extension}`)).toBe(extension);
		expect(typeByExtension(`x.${extensionOfType(type)}`)).toBe(type);
	},
);

it.each([
	['cat.png', 'image/webp', 'webp'],
	['clip.mpeg', 'audio/mpeg', 'mp3'],
	['clip.mp4', 'audio/mp4', 'm4a'],
	['cat.png', 'image/x-exr', 'bin'],
	['sky.exr', 'image/x-exr', 'exr'],
	['cat.jpeg', 'image/jpg', 'jpeg'],
	['https://x.example/model.safetensors?a=b.png', 'application/octet-stream', 'safetensors'],
	['https://x.example/no-extension', 'video/mp4', 'mp4'],
	['voice.opus', 'audio/ogg', 'opus'],
	['scan.tif', 'image/tiff', 'tif'],
])('a file at %p of type %p gets the extension %p', (url, type, extension) => {
	expect(extensionOfType(type, url)).toBe(extension);
});

it.each([
	['audio/mp3', 'a.mp3', 'RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
	['image/jpeg', 'a.jpg', '\x89PNG\r\n\x1a\n', 'image/png'],
	['image/jpg', 'a.jpg', '\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
	['video/mp4', 'a.mp4', '\0\0\0\x20ftypM4A ', 'audio/mp4'],
	['', 'a.pcm', 'anything', 'audio/pcm'],
	// Types whose first bytes are those of another one.
	['audio/x-m4a', 'a', '\0\0\0\x20ftypmp42', 'audio/x-m4a'],
	['audio/mp4', 'a', '\0\0\0\x20ftyp3gp4', 'audio/mp4'],
	['', 'a.mov', '\0\0\0\x20ftypmp42', 'video/quicktime'],
	['audio/webm', 'a', '\x1a\x45\xdf\xa3', 'audio/webm'],
	['video/ogg', 'a', 'OggS\0', 'video/ogg'],
	['application/ogg', 'a', 'OggS\0', 'audio/ogg'],
	['', 'a.usdz', 'PK\x03\x04', 'model/vnd.usdz+zip'],
	['application/octet-stream', 'a', 'PK\x03\x04', 'application/zip'],
	['audio/aac', 'a', 'ID3\x04', 'audio/aac'],
])('a file declared as %j and named %s that begins with %j is of type %s', (...row) => {
	const [declared, name, start, type] = row;
	expect(typeOfFile(declared, [name], Buffer.from(start, 'latin1'))).toBe(type);
});

it.each<[string, string | undefined, number, string]>([
	['', '../a/b', 1, 'output-8e7e11e4-1'],
	['../../etc/passwd', 'x', 0, 'etc-passwd-2d711642'],
	['', '20261201-0001', 0, 'output-79fa2056'],
	['', '20261201-0002', 0, 'output-96afe80d'],
	[`${'a'.repeat(39)}\u{20000}\u{20000}`, undefined, 0, `${'a'.repeat(39)}\u{20000}`],
])('the prompt %p with the ID %p and the index %p names a file %p', (text, id, index, stem) => {
	expect(fileStem(text, id, index)).toBe(stem);
});
