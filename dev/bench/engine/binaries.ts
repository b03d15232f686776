/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { createReadStream, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

/** Binaries on disk, as n8n keeps them in production. */
export async function storeBinariesOnDisk(): Promise<void> {
	const config = Container.get(BinaryDataConfig);
	config.mode = 'filesystem';
	config.availableModes = ['filesystem'];
	await Container.get(BinaryDataService).init();
}

/** A video of so many zero bytes in n8n's store. It arrives as a stream: a buffer freed later would hide what is measured. */
export async function storedFile(bytes: number): Promise<IBinaryData> {
	const folder = mkdtempSync(join(tmpdir(), 'segmind-bench-'));
	try {
		const path = join(folder, 'file');
		writeFileSync(path, '');
		truncateSync(path, bytes);
		return await Container.get(BinaryDataService).store(
			{ type: 'execution', workflowId: 'bench', executionId: 'bench' },
			createReadStream(path),
			{ data: '', fileName: 'file.mp4', mimeType: 'video/mp4' },
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
