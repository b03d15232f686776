/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createReadStream, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { BinaryDataConfig, type BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

import { binaryData, fromEngine } from './version';

/** `init` and `store` in n8n 1.x: `init` takes a configuration, and `store` takes the IDs of workflow and execution separately. */
interface EarlierBinaryData {
	init(config: { mode: string; availableModes: string[]; localStoragePath: string }): Promise<void>;
	store(
		workflowId: string,
		executionId: string,
		bytes: Buffer | Readable,
		binary: IBinaryData,
	): Promise<IBinaryData>;
}
const isEarlier = BinaryDataConfig === undefined;
const asEarlier = (service: BinaryDataService) => service as unknown as EarlierBinaryData;

const WORKFLOW = 'workflow1';
/** Without an execution ID, n8n stores files under `temp`. */
const EXECUTION = '';

/** Stores n8n's binary data on disk, as in production, instead of in the items. Returns a function that restores the earlier setting. */
export async function storeBinariesOnDisk(): Promise<() => void> {
	const service = binaryData();
	const before = { ...service, managers: {} };
	const filesystem = { mode: 'filesystem' as const, availableModes: ['filesystem' as const] };
	if (isEarlier) {
		const localStoragePath = `${process.env.N8N_USER_FOLDER}/binaryData`;
		await asEarlier(service).init({ ...filesystem, localStoragePath });
	} else {
		Object.assign(fromEngine(BinaryDataConfig), filesystem);
		await service.init();
	}
	return () => void Object.assign(service, before);
}

/** Puts a file into n8n's storage as a webhook does, whose execution has no ID yet. `binary` has the file's name and type. */
export async function storeBinary(
	bytes: Buffer | Readable,
	binary: IBinaryData,
): Promise<IBinaryData> {
	if (isEarlier) return await asEarlier(binaryData()).store(WORKFLOW, EXECUTION, bytes, binary);
	const location = { type: 'execution' as const, workflowId: WORKFLOW, executionId: EXECUTION };
	return await binaryData().store(location, bytes, binary);
}

/** Gives a file in n8n's storage another ID; does nothing if binary data is in the items. */
export async function renameStored(from: string, to: string): Promise<void> {
	const [, fileId] = from.split(':');
	if (fileId) await binaryData().rename(fileId, to.split(':')[1]);
}

/** Returns a stream of zero bytes. It doesn't use a buffer, because freeing a buffer while memory is measured would distort the measurement. */
export function zeroBytes(bytes: number): ReadStream {
	const folder = mkdtempSync(join(tmpdir(), 'segmind-zeros-'));
	const path = join(folder, 'file');
	writeFileSync(path, '');
	truncateSync(path, bytes);
	return createReadStream(path).once('close', () =>
		rmSync(folder, { recursive: true, force: true }),
	);
}
