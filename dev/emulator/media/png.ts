/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
	const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const framed = Buffer.alloc(typed.length + 8);
	framed.writeUInt32BE(data.length, 0);
	typed.copy(framed, 4);
	framed.writeUInt32BE(crc32(typed), framed.length - 4);
	return framed;
}

/**
 * An 8 x 8 PNG of one colour with the text in a tEXt chunk: under 200 bytes for short texts, and
 * different for every text, so that a test can tell whose file it got.
 */
export function tinyPng(text: string): Buffer {
	const [red, green, blue] = createHash('sha256').update(text).digest();
	const row = Buffer.from([0, ...Array.from({ length: 8 }, () => [red, green, blue]).flat()]);
	const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]);
	return Buffer.concat([
		signature,
		chunk('IHDR', header),
		chunk('tEXt', Buffer.concat([Buffer.from('Description\0', 'latin1'), Buffer.from(text)])),
		chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: 8 }, () => row)))),
		chunk('IEND', Buffer.alloc(0)),
	]);
}
