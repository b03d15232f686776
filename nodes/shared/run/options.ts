import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isBlank } from '../base/text';
import { badInput, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import type { Item } from './item';

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
	outputField: string;
}

export const DEFAULT_TIMEOUT_S = 900;
export const DEFAULT_MAX_CONCURRENCY = 20;

/**
 * Reads the options of an item.
 * @throws SegmindFailure that names the option, before any call
 */
export function readOptions(item: Item): Options {
	const { session, index: itemIndex } = item;
	const { context } = session;
	const given = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	return {
		timeoutMs: readNumberOption(given.timeoutSeconds, 'Timeout', DEFAULT_TIMEOUT_S, 1) * 1_000,
		onTimeout: given.onTimeout === 'returnRequest' ? 'returnRequest' : 'error',
		pollIntervalMs: readNumberOption(given.pollIntervalSeconds, 'Check Every', 0, 0) * 1_000,
		sendAgainIfUnsure: given.sendAgainIfUnsure === true,
		minimumBalance: readLimit(given, 'minimumBalance', 'Min Balance', -Infinity),
		maximumCost: readLimit(given, 'maximumCost', 'Max Cost', 0),
		downloadOutput: given.downloadOutput === undefined ? undefined : given.downloadOutput !== false,
		outputField: readOutputField(given.outputField),
	};
}

/** Whether to make one call that responds with the output (v1), instead of a request that is polled (v2). */
export function readAnswerInOneCall(item: Item): boolean {
	const { session, index: itemIndex } = item;
	const { context } = session;
	return context.getNodeParameter('options.answerInOneCall', itemIndex, false) === true;
}

/** Whether to wait for the result. If not, the item is the accepted request. */
export function readWaitForCompletion(item: Item): boolean {
	const { session, index: itemIndex } = item;
	const { context } = session;
	return context.getNodeParameter('waitForCompletion', itemIndex, true) !== false;
}

/** How files are sent to the model. */
export type SendFilesAs = 'url' | 'dataUrl' | 'base64';

export function readSendFilesAs(item: Item): SendFilesAs {
	const { session, index: itemIndex } = item;
	const { context } = session;
	const given = context.getNodeParameter('options.sendFilesAs', itemIndex, 'url');
	return given === 'dataUrl' || given === 'base64' ? given : 'url';
}

/** Reads how many items of the run may be worked on at once. */
export function readMaxConcurrency(context: IExecuteFunctions): number {
	const given = context.getNodeParameter('options', 0, {}) as IDataObject;
	return Math.floor(
		readNumberOption(given.maxConcurrency, 'Max Items at Once', DEFAULT_MAX_CONCURRENCY, 1),
	);
}

/** Reads a limit that protects the user's credits; undefined if the option isn't added. @throws SegmindFailure if it's added but empty */
function readLimit(
	given: IDataObject,
	key: 'minimumBalance' | 'maximumCost',
	name: string,
	min: number,
): number | undefined {
	if (!Object.hasOwn(given, key)) return undefined;
	if (isBlank(given[key]))
		throw badInput(INPUTS.empty, {
			label: `Option '${name}'`,
			todo: 'Enter an amount in USD, or remove the option.',
		});
	return readNumberOption(given[key], name, 0, min);
}

function readNumberOption(value: unknown, name: string, fallback: number, min: number): number {
	if (isBlank(value)) return fallback;
	const number = typeof value === 'string' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number) && number >= min) return number;
	const range = min === -Infinity ? 'a number' : `a number of at least ${min}`;
	throw wrongInput(`Option '${name}'`, value, range);
}

function readOutputField(value: unknown): string {
	const name = typeof value === 'string' ? value.trim() : '';
	if (name === '__proto__')
		throw wrongInput("Option 'Put Output File in Field'", name, 'another name');
	return name === '' ? 'data' : name;
}
