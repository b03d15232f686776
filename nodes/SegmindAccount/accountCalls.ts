import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { SegmindFailure } from '../shared/base/failure';
import { digest, stableJson } from '../shared/base/hash';
import { redact } from '../shared/base/redact';
import { stoppedFailure, unusable } from '../shared/errors/failures';
import { say } from '../shared/errors/say';
import { factsOf, factsOfFailedItem } from '../shared/items/itemErrors';
import type { ItemEnd } from '../shared/items/runError';
import { assertSameCredential, endRun, type ItemWork } from '../shared/items/runItems';
import { ItemParameters } from '../shared/parameters/itemParameters';
import { textIn } from '../shared/parameters/values';
import { doOnce, unknownOutcomeOf, type Action } from '../shared/manage/doOnce';
import { responseOf, responseOfChange, stoppedChange } from '../shared/manage/managedCalls';
import { raceWithStop, assertNotStopped, openNodeRun, type NodeRun } from '../shared/run/run';
import { accessTokenIn } from '../shared/service/accessToken';
import { ACCOUNT_URLS, addressesIn, assertAddresses, joinUrl } from '../shared/service/addresses';
import { FatalFailure } from '../shared/service/fatalFailure';
import { callService, type CallOutcome } from '../shared/service/http';
import { checkPage, rejectionFailure, type CallSubject } from '../shared/service/responseErrors';
import { isWebPage, jsonOf } from '../shared/service/responses';
import { responseShape } from '../shared/service/responseShape';
import { isTransient, mayBeRepeated, repeatCall, type CallWatch } from '../shared/service/repeat';
import { isObject } from '../shared/service/schemas';

const SEGMIND_SESSION_API = 'segmindSessionApi';
const CALL_TIMEOUT_MS = 30_000;
/** How long one call waits for the rate limit of five calls a minute (docs/service.md S221), or for an unreachable service. */
const MAX_WAIT_MS = 90_000;

/** What all items of one execution of a node with the Segmind Session API credential share. */
export interface AccountRun extends NodeRun {
	accountUrl: string;
	/** The access token of the last call; empty before the first. `isFresh`: it was refreshed for that call. */
	access: { token: string; isFresh: boolean };
	fatal: FatalFailure;
	/** Removes these values from every error text from now on. */
	hide(...values: unknown[]): void;
}

/**
 * Reads the credential and opens the run of one execution. `properties`: those of the node's description.
 * @throws SegmindFailure if the execution has been stopped already, or an address isn't an http(s) address
 */
async function openAccountRun(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
): Promise<AccountRun> {
	assertNotStopped(context);
	const data = await context.getCredentials(SEGMIND_SESSION_API);
	const { accountUrl } = assertAddresses(addressesIn(data, ACCOUNT_URLS));
	const secrets: string[] = [];
	const hide = (...values: unknown[]) => {
		const isNew = (secret: string) => secret !== '' && !secrets.includes(secret);
		secrets.push(...values.map(textIn).filter(isNew));
	};
	hide(data.refreshToken, data.accessToken, data.enteredAccessToken);
	const { id } = context.getNode().credentials?.[SEGMIND_SESSION_API] ?? {};
	const credentialId = id ?? digest(textIn(data.refreshToken));
	const credentialOf = async (itemIndex: number) => {
		const own = await context.getCredentials(SEGMIND_SESSION_API, itemIndex);
		return stableJson([textIn(own.refreshToken), addressesIn(own, ACCOUNT_URLS)]);
	};
	return {
		...openNodeRun(context, { properties, credentialId, secrets, credentialOf }),
		accountUrl,
		access: { token: '', isFresh: false },
		fatal: new FatalFailure(),
		hide,
	};
}

/** One item of a run. */
export interface AccountItem {
	readonly run: AccountRun;
	readonly index: number;
	readonly parameters: ItemParameters;
}

/** Does the work for all items, whose calls are made one at a time (`callInTurn`). Each item ends, with its output or its error, before the node does. */
export async function runAccountItems(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
	work: ItemWork<AccountItem>,
): Promise<INodeExecutionData[][]> {
	const opening = openAccountRun(context, properties);
	const run = await opening.catch(() => undefined);
	const endOf = async (index: number): Promise<ItemEnd> => {
		try {
			const opened = await opening;
			await assertSameCredential(opened, index);
			const parameters = new ItemParameters(opened, index);
			return { items: [await work({ run: opened, index, parameters })].flat() };
		} catch (error) {
			return { failed: run ? factsOfFailedItem(run, index, error) : factsOf(error, redact) };
		}
	};
	const indexes = [...context.getInputData().keys()];
	return endRun(context, await Promise.all(indexes.map(endOf)), run);
}

export interface AccountCall {
	/** A GET is repeated after faults. Other methods change the account and aren't repeated. */
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** The path below {accountUrl}. */
	path: string;
	body?: IDataObject;
	/** Whether to refresh the access token first, even if the stored one is valid. */
	refreshFirst?: true;
	/** Whether the body of a successful response can be used. */
	isUsable?: (body: unknown) => boolean;
}

/**
 * Reads from the account, once per run of the node, and returns the body. `subject`: the action in the user's words.
 * @throws SegmindFailure unless it succeeds
 */
export async function readAccount(
	run: AccountRun,
	call: Omit<AccountCall, 'method'>,
	subject: string,
): Promise<unknown> {
	return await run.memoize(call.path, async () => {
		const calling = callInTurn(run, { method: 'GET', ...call }, { subject, doneTwice: 'harmless' });
		return (await raceWithStop(run, calling)).body;
	});
}

/**
 * Changes the account, and finishes the call after Stop. A PUT is free and does no harm if a retry makes it again; other calls are made once per
 * execution. `itemOf` makes the output.
 * @throws SegmindFailure unless it succeeds; with `outcomeUnknown` if it may have been carried out
 */
export async function changeAccount(
	item: AccountItem,
	action: Action,
	call: AccountCall,
	itemOf: (body: unknown, status: number) => IDataObject,
): Promise<INodeExecutionData> {
	const { run } = item;
	const change = async (watch?: CallWatch) => {
		const { body, status } = await callInTurn(run, call, action, watch);
		return { json: itemOf(body, status) };
	};
	if (call.method === 'PUT') return await raceWithStop(run, change(), stoppedChange);
	const request = action.doneTwice === 'harmless' ? undefined : call;
	return await doOnce(item, { ...action, request }, change);
}

/** The last call of each credential, by the credential's ID. The next call waits for it. */
const lastCalls = new Map<string, Promise<unknown>>();

/**
 * Makes a call after all earlier calls of its credential in this process: four at once with an expired token would refresh it four times
 * (docs/n8n.md N121).
 * @throws SegmindFailure unless it succeeds, or if an earlier failure concerns this call too
 */
async function callInTurn(
	run: AccountRun,
	call: AccountCall,
	action: Action,
	watch?: CallWatch,
): Promise<{ status: number; body: unknown }> {
	const { credentialId } = run.journal;
	const calling = (lastCalls.get(credentialId) ?? Promise.resolve()).then(async () => {
		if (run.signal?.aborted) throw stoppedFailure();
		run.fatal.assertNone();
		return readAccountResponse(run, call, action, await callWithRepeats(run, call, watch));
	});
	lastCalls.set(
		credentialId,
		calling.catch(() => undefined),
	);
	return await calling;
}

/** Makes the call, again after refreshing a rejected token, and again as the retry rule allows. */
async function callWithRepeats(
	run: AccountRun,
	call: AccountCall,
	watch: CallWatch | undefined,
): Promise<CallOutcome> {
	const { clock, signal } = run;
	const callRefreshed = async (tries: number) => {
		watch?.sending();
		const outcome = await sendToAccount(run, call, call.refreshFirst === true && tries === 1);
		const is401 = outcome.kind === 'response' && outcome.status === 401;
		const mayRefresh = is401 && !isAboutKey(call, outcome) && !run.access.isFresh;
		return mayRefresh ? await sendToAccount(run, call, true) : outcome;
	};
	const mayRepeat = call.method === 'GET' ? isTransient : mayBeRepeated;
	const endsAt = clock.now() + MAX_WAIT_MS;
	return await repeatCall(callRefreshed, { clock, signal, endsAt, mayRepeat, watch });
}

/** Whether an error is about an API key in the body, and not about the session (docs/service.md S392). */
function isAboutKey(call: AccountCall, sent: CallOutcome): boolean {
	const body = sent.kind === 'response' ? jsonOf(sent) : undefined;
	return call.body?.api_key !== undefined && isObject(body) && body.error === 'invalid_api_key';
}

async function sendToAccount(
	run: AccountRun,
	{ method, path, body }: AccountCall,
	refresh: boolean,
): Promise<CallOutcome> {
	const { context, clock, journal } = run;
	const httpCall = {
		method,
		url: joinUrl(run.accountUrl, path),
		headers: {
			accept: 'application/json',
			...(body && { 'content-type': 'application/json' }),
		},
		body: body && JSON.stringify(body),
		timeoutMs: CALL_TIMEOUT_MS,
	};
	// A call that changes the account goes on after the execution is stopped.
	const ends = { clock, signal: method === 'GET' ? run.signal : undefined };
	// The credential is read for every call, because an earlier one may have refreshed the token. If `accessToken` is empty, n8n renews it (docs/n8n.md
	// N120), stores the new tokens and writes them into `data`.
	const stored = await context.getCredentials(SEGMIND_SESSION_API);
	const noTokens = { accessToken: '', enteredAccessToken: '' };
	const data: ICredentialDataDecryptedObject = { ...stored, ...(refresh && noTokens) };
	const additional = {
		credentialsDecrypted: { id: journal.credentialId, name: '', type: SEGMIND_SESSION_API, data },
	};
	const outcome = await callService(context, SEGMIND_SESSION_API, httpCall, {
		...ends,
		additional,
	}).catch((failure: SegmindFailure) => {
		throw run.fatal.remember(failure);
	});
	const token = accessTokenIn(data);
	run.access = { token, isFresh: refresh || token !== accessTokenIn(stored) };
	run.hide(token, data.refreshToken);
	return outcome;
}

/**
 * Returns status and body (as text, if it isn't JSON) of a successful response.
 * @throws SegmindFailure unless it succeeded, or if its body contains an error or can't be used
 */
function readAccountResponse(
	run: AccountRun,
	call: AccountCall,
	action: Action,
	sent: CallOutcome,
) {
	const { method, isUsable = () => true } = call;
	const { subject } = action;
	const about: CallSubject = { purpose: isAboutKey(call, sent) ? 'apiKey' : 'account', subject };
	const response =
		method === 'GET' ? responseOf(run, sent, about) : responseOfChange(run, sent, about, action);
	const { status } = response;
	const body = jsonOf(response) ?? response.body.toString('utf8').trim();
	if (isObject(body) && (Boolean(body.error) || body.success === false))
		throw rejectionFailure(run, response, about);
	const isPage = isWebPage(response);
	if (!isPage && isUsable(body)) return { status, body };
	// The body isn't quoted, because it may contain a key or a token.
	const why = isPage ? say`a web page answered instead of Segmind` : say`it has an unknown form`;
	const outcome = action.doneTwice === 'harmless' ? {} : unknownOutcomeOf(action);
	throw unusable(subject, why, {
		...(isPage && { next: checkPage(about) }),
		...outcome,
		httpCode: status,
		responseShape: responseShape(response),
	});
}
