import { CAUSES } from '../../errors/errorTable';
import type { RequestRef } from '../../journal/entry';
import { unusable } from '../../service/answerErrors';
import type { Client } from '../../service/client';
import { afterCompleted, fromHistory, type Ended } from './ended';
import { fetchResult, type Fetching } from './fetchResult';
import type { CheckReading } from './reader';
import { about } from './requestRef';
import { failedWith, type StatusCheck } from './statusCheck';

/** Who is told of each new status. */
export interface StatusWatch {
	saw(word: string): void;
}

/**
 * How a request ended, by what a check of it says; undefined if it has to be checked again. COMPLETED is reported before the result is read.
 * @throws SegmindFailure if its responses stay unreadable, or its result does
 */
export async function conclude(
	client: Client,
	ref: RequestRef,
	check: StatusCheck,
	{ progress, then, word }: CheckReading,
	fetching: Fetching,
	watch?: StatusWatch,
): Promise<Ended | undefined> {
	if (word !== undefined) watch?.saw(word);
	if (then === 'readHistory')
		return afterCompleted(
			await fromHistory(client, ref, fetching.isExpired),
			progress.hasCompleted,
		);
	if (then === 'readReason' && check.kind === 'failed')
		return afterCompleted(await failedWith(client, ref, check), progress.hasCompleted);
	if (then === 'fetchResult' && check.kind === 'completed')
		return await fetchResult(client, ref, check.body, fetching);
	if (then === 'giveUp' && check.kind === 'unreadable')
		throw unusable(client, check.answer, about(ref, 'status'), { row: CAUSES.unusableStatus });
	return undefined;
}
