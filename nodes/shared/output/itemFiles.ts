/** The files of an output item: those that came as bytes, and those at URLs. */
import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { OUTPUT_FIELD } from '../descriptions/options';
import { say, whole, type Said } from '../errors/say';
import { download, type MediaFile } from '../media/download';
import type { OutputRun, Run } from '../run/run';
import { fileName, fileStem } from '../media/fileNames';
import type { InlineFile } from './inlineFiles';
import type { OutputSpec } from './presentation';

/** Stores the files that came as bytes. They are the first files of the item. */
export async function storeFiles(
	{ context }: OutputRun,
	spec: OutputSpec,
	files: InlineFile[],
): Promise<IBinaryKeyData> {
	const binary: IBinaryKeyData = {};
	for (const [at, { bytes, mimeType }] of files.entries()) {
		const name = fileName(itemFileStem(spec, at), mimeType);
		binary[binaryFieldOf(at)] = await context.helpers.prepareBinaryData(bytes, name, mimeType);
	}
	return binary;
}

/**
 * Downloads the files at URLs in order; `firstIndex` is the position of the first one among the item's files. Failed downloads never fail the item; one
 * hint names the first of them.
 */
export async function downloadFiles(
	run: OutputRun,
	spec: OutputSpec,
	media: MediaFile[],
	firstIndex: number,
): Promise<IBinaryKeyData> {
	const { requestId, itemIndex, making } = spec;
	// The files of one item share one timeout.
	const endsAt = run.client.clock.now() + making.timeoutMs;
	const binary: IBinaryKeyData = {};
	const reasons: string[] = [];
	for (const [at, file] of media.entries()) {
		// Failed files count too, so that data_2 is always the third file.
		const index = firstIndex + at;
		const stem = itemFileStem(spec, index, file.outputName);
		const downloaded = await download(run, file, { stem, requestId }, endsAt);
		if ('file' in downloaded) binary[binaryFieldOf(index)] = downloaded.file;
		else reasons.push(downloaded.reason);
	}
	if (reasons.length > 0) {
		const text = notDownloadedHint(reasons, media.length);
		run.events.addHint({ item: itemIndex, text });
	}
	return binary;
}

/** `reasons`: why each of the failed downloads failed. */
function notDownloadedHint(reasons: string[], fileCount: number): Said {
	return say`${reasons.length} of ${fileCount} files could not be downloaded (${whole(reasons[0])}). The request completed, and the URLs of its files are in the output. According to Segmind's pages, files are available for 7 days.`;
}

/** Returns the name of an item's file without extension, after the workflow's output, the prompt or what made it. */
function itemFileStem(
	{ madeBy, requestId, making }: OutputSpec,
	index: number,
	outputName = '',
): string {
	const slug = String(madeBy.model ?? madeBy.workflow ?? '');
	return fileStem(outputName || making.prompt || slug, requestId, index);
}

/** Returns the binary field in which a file is made: `data`, `data_1`, `data_2`, … */
export function binaryFieldOf(index: number): string {
	return index === 0 ? OUTPUT_FIELD : `${OUTPUT_FIELD}_${index}`;
}

/** Whether the stored files still exist: n8n may have pruned the execution that stored them. */
export async function binariesExist(
	{ context }: Run,
	binary: INodeExecutionData['binary'],
): Promise<boolean> {
	const ids = Object.values(binary ?? {}).flatMap(({ id }) => (id === undefined ? [] : [id]));
	try {
		await Promise.all(ids.map(async (id) => await context.helpers.getBinaryMetadata(id)));
		return true;
	} catch (error) {
		context.logger.debug(
			`Segmind: a stored file of an earlier attempt no longer exists (${(error as Error).message}); fetching it again`,
		);
		return false;
	}
}
