import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { FailureFacts, SegmindFailure } from '../base/failure';
import { digest } from '../base/hash';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { textIn } from '../inputs/values';
import { assertNotStopped, openRunSession, type RunSession } from '../run/session';
import { ACCOUNT_URLS, addressesIn } from '../service/addresses';
import { originOf } from '../service/origins';

export const SEGMIND_SESSION_API = 'segmindSessionApi';

/** What all items of one execution of a node with the Segmind Session API credential share. */
export interface AccountSession extends RunSession {
	accountUrl: string;
	consoleUrl: string;
	credential: { id: string; name: string };
	/** The tokens of the last call, as n8n stores them; empty before the first. `isFresh`: the access token was refreshed for that call. */
	tokens: { accessToken: string; refreshToken: string; isFresh: boolean };
	/** A failure that all later calls would repeat. */
	fatalFailure?: FailureFacts;
	/** Returns the failure, and remembers it if all later calls would repeat it. */
	rememberIfFatal(failure: SegmindFailure): SegmindFailure;
	/** Removes these values from every error text from now on. */
	hide(...values: unknown[]): void;
}

/**
 * Reads the credential and returns the session of one execution. `properties`: those of the node's description.
 * @throws SegmindFailure if the execution has been stopped already, or an address isn't an http(s) address
 */
export async function openAccountSession(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
): Promise<AccountSession> {
	assertNotStopped(context);
	const data = await context.getCredentials(SEGMIND_SESSION_API);
	const { accountUrl, consoleUrl } = addressesIn(data, ACCOUNT_URLS);
	if (originOf(accountUrl) === undefined || originOf(consoleUrl) === undefined)
		throw badInput(INPUTS.wrongAddress, { label: 'Account URL or Console URL' });
	const secrets: string[] = [];
	const hide = (...values: unknown[]) => {
		const isNew = (secret: string) => secret !== '' && !secrets.includes(secret);
		secrets.push(...values.map(textIn).filter(isNew));
	};
	hide(data.refreshToken, data.accessToken);
	const stored = context.getNode().credentials?.[SEGMIND_SESSION_API];
	const id = stored?.id ?? digest(textIn(data.refreshToken));
	const session: AccountSession = {
		...openRunSession(context, { properties, credential: id, secrets }),
		accountUrl,
		consoleUrl,
		credential: { id, name: stored?.name ?? SEGMIND_SESSION_API },
		tokens: { accessToken: '', refreshToken: '', isFresh: false },
		rememberIfFatal: (failure) => {
			if (failure.facts.fatal) session.fatalFailure ??= failure.facts;
			return failure;
		},
		hide,
	};
	return session;
}
