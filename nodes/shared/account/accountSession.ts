import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	INodeProperties,
} from 'n8n-workflow';

import { SegmindFailure, type FailureFacts } from '../base/failure';
import { digest } from '../base/hash';
import { assertNotStopped, runSession, type RunSession } from '../run/session';
import { originOf } from '../service/origins';
import { addressIsWrong } from './accountErrors';
import { mutexFor, type Mutex } from './mutex';

export const SEGMIND_SESSION_API = 'segmindSessionApi';

/** What all items of one execution of a node with the Segmind Session API credential share. */
export interface AccountSession extends RunSession {
	accountUrl: string;
	consoleUrl: string;
	mutex: Mutex;
	/** Set once no later call can succeed. */
	fatalFailure?: FailureFacts;
	/** The credential as it is stored now: an earlier call, or another execution, may have refreshed it. */
	readCredential(): Promise<ICredentialDataDecryptedObject>;
	/** Keeps values out of every error text from now on. */
	hide(...values: unknown[]): void;
}

/**
 * `properties` are those of the node's description.
 * @throws SegmindFailure when the execution has been stopped already, or the account address is not an http(s) address
 */
export async function openAccountSession(
	context: IExecuteFunctions,
	properties: readonly INodeProperties[],
): Promise<AccountSession> {
	assertNotStopped(context);
	const readCredential = async () => await context.getCredentials(SEGMIND_SESSION_API);
	const credential = await readCredential();
	const text = (name: string) => String(credential[name] ?? '').trim();
	const accountUrl = text('accountUrl');
	if (originOf(accountUrl) === undefined) throw new SegmindFailure(addressIsWrong(accountUrl));
	const secrets = [text('refreshToken'), text('accessToken')];
	const stored = context.getNode().credentials?.[SEGMIND_SESSION_API];
	const id = stored?.id ?? digest(text('refreshToken'));
	const maker = { id, name: stored?.name ?? SEGMIND_SESSION_API };
	return {
		...runSession(context, { properties, maker, secrets }),
		accountUrl,
		consoleUrl: text('consoleUrl'),
		mutex: mutexFor(`${id}|${accountUrl}`),
		readCredential,
		hide: (...values) => {
			for (const value of values) {
				const secret = typeof value === 'string' ? value.trim() : '';
				if (secret !== '' && !secrets.includes(secret)) secrets.push(secret);
			}
		},
	};
}
