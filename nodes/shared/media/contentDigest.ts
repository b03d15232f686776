import { createHash } from 'node:crypto';

import type { IBinaryData } from 'n8n-workflow';

import { digest } from '../base/hash';
import type { Session } from '../run/session';

/** Returns the first 32 hex digits of the SHA-256 of a file's bytes, whether inline or in n8n's storage. Equals `digest` of the bytes. */
export async function contentDigest(session: Session, file: IBinaryData): Promise<string> {
	if (file.id === undefined) return digest(Buffer.from(file.data, 'base64'));
	const hash = createHash('sha256');
	for await (const chunk of await session.context.helpers.getBinaryStream(file.id))
		hash.update(chunk as Buffer);
	return hash.digest('hex').slice(0, 32);
}
