import { DEFAULT_MAX_CONCURRENCY, DEFAULT_TIMEOUT_S } from '../descriptions/optionFields';
import { emptyInput, wrongInput } from '../errors/failures';
import { say } from '../errors/say';
import type { ItemParameters } from '../parameters/itemParameters';
import type { Item } from './item';
import type { NodeRun } from './run';

/** The checked collection `options`; times in ms (defaults: CONTRACT.md). */
export interface Options {
	timeoutMs: number;
	onTimeout: 'error' | 'returnRequest';
	pollIntervalMs: number;
	sendAgainIfUnsure: boolean;
	minimumBalance?: number;
	/** What one execution of the node may spend, in USD. */
	maximumCost?: number;
	/** Undefined means true, but false for an agent's tool. */
	downloadOutput?: boolean;
}

/**
 * Reads the options of an item.
 * @throws SegmindFailure that names the option, before any call
 */
export function readOptions(item: Item): Options {
	const { parameters } = item;
	const timeoutS = parameters.optionalNumber('options.timeoutSeconds', 1) ?? DEFAULT_TIMEOUT_S;
	const pollIntervalS = parameters.optionalNumber('options.pollIntervalSeconds', 0) ?? 0;
	const onTimeout = parameters.optionalChoice('options.onTimeout', ['error', 'returnRequest']);
	return {
		timeoutMs: timeoutS * 1_000,
		onTimeout: onTimeout ?? 'error',
		pollIntervalMs: pollIntervalS * 1_000,
		sendAgainIfUnsure: parameters.isOn('options.sendAgainIfUnsure'),
		minimumBalance: readLimit(item, 'options.minimumBalance', -Infinity),
		maximumCost: readLimit(item, 'options.maximumCost', 0),
		downloadOutput: parameters.optionalBoolean('options.downloadOutput'),
	};
}

/** Whether to make one call that responds with the output (v1), instead of a request that is polled (v2). */
export function readAnswerInOneCall({ parameters }: Item): boolean {
	return parameters.isOn('options.answerInOneCall');
}

/** Whether to wait for the result. If not, the item is the accepted request. */
export function readWaitForCompletion({ parameters }: Item): boolean {
	return parameters.isOn('waitForCompletion');
}

/** How files are sent to the model. */
export type SendFilesAs = 'url' | 'dataUrl' | 'base64';

export function readSendFilesAs({ parameters }: Item): SendFilesAs {
	const given = parameters.optionalChoice('options.sendFilesAs', ['base64', 'dataUrl', 'url']);
	return given ?? 'url';
}

/** Reads the limit of an item; Infinity if Return All is on. @throws SegmindFailure if it isn't an integer above 0 */
export function readItemLimit({ parameters }: Item<NodeRun>): number {
	return parameters.isOn('returnAll') ? Infinity : parameters.integer('limit', 1);
}

/** Reads how many items of the run may be worked on at once. It's a setting of the run, so the first item's counts. */
export function readMaxConcurrency({ parameters }: Item<NodeRun>): number {
	const given = parameters.optionalNumber('options.maxConcurrency', 1);
	return Math.floor(given ?? DEFAULT_MAX_CONCURRENCY);
}

/** Reads a limit that protects the user's credits; undefined if the option isn't added. @throws SegmindFailure if it's added but empty */
function readLimit({ parameters }: Item, path: string, min: number): number | undefined {
	const limit = parameters.optionalNumber(path, min);
	if (limit === undefined && parameters.has(path))
		throw emptyInput(parameters.label(path), say`Enter an amount in USD, or remove the option.`);
	return limit;
}

/** The binary field in which the first file is made. */
export const OUTPUT_FIELD = 'data';

/** Reads the binary field of the first file. @throws SegmindFailure for a name that no field can have */
export function readOutputField(parameters: ItemParameters): string {
	const path = 'options.outputField';
	const name = parameters.text(path);
	if (name === '__proto__') throw wrongInput(parameters.label(path), name, 'another name');
	return name === '' ? OUTPUT_FIELD : name;
}
