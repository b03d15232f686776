import type { IWebhookFunctions } from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { stoppedFailure } from '../errors/failures';
import { digest } from '../base/hash';
import { redact } from '../base/redact';
import { FatalFailure } from './fatalFailure';
import { rateLimiterFor, type CallPriority, type RateLimiter } from './rateLimiter';
import {
	addressesIn,
	assertAddresses,
	assertOwnUrl,
	SERVICE_URLS,
	type ServiceUrls,
} from './addresses';
import {
	callService,
	type CallOutcome,
	type HttpResponse,
	type HttpCall,
	type ServiceContext,
} from './http';
import {
	isTransient,
	mayBeRepeated,
	MIN_REPORTED_PAUSE_MS,
	repeatCall,
	type CallWatch,
} from './repeat';
import { ServerClock } from './serviceTime';

export const SEGMIND_API = 'segmindApi';

/** Timeout of a single call that submits a request. */
export const SUBMIT_TIMEOUT_MS = 60_000;
/** Timeout of a single call that changes nothing. */
export const READ_TIMEOUT_MS = 30_000;

interface CallRules {
	priority: CallPriority;
	/** When to give up, in ms since the epoch. */
	deadline: number;
	/** Whether the call goes on after the execution is stopped. */
	finishWhenStopped?: boolean;
	/** Only for the error text if the execution is stopped. */
	requestId?: string;
	/** Is called for each HTTP call. */
	watch?: CallWatch;
}

interface ClientSettings {
	context: ServiceContext;
	urls: ServiceUrls;
	credentialId: string;
	secrets: readonly string[];
	clock?: Clock;
	random?: () => number;
	limiter?: RateLimiter;
	/** Fires when the execution is stopped. */
	signal?: AbortSignal;
	/** When every call must have ended, in ms since the epoch, for example because a trigger's poll ends then. */
	endsAt?: number;
	/** Shared with the copies of a client. */
	fatal?: FatalFailure;
}

/**
 * Makes every call of one Segmind API credential, in an execution, a poll or a webhook: through the credential's rate limiter, with repeats and one
 * deadline, and without its secrets in any text. Calls go only to the credential's origins and follow no redirect.
 */
export class Client {
	readonly urls: ServiceUrls;

	readonly clock: Clock;

	readonly limiter: RateLimiter;

	readonly signal?: AbortSignal;

	readonly endsAt?: number;

	readonly random: () => number;

	readonly serverClock = new ServerClock();

	readonly fatal: FatalFailure;

	/** The end of the last pause of the rate limiter that was reported, in ms since the epoch. */
	private reportedPauseEndsAt = 0;

	constructor(private readonly settings: ClientSettings) {
		const { clock = systemClock, random = Math.random, credentialId, urls } = settings;
		this.urls = urls;
		this.clock = clock;
		this.random = random;
		this.limiter = settings.limiter ?? rateLimiterFor(`${credentialId}|${urls.baseUrl}`);
		this.signal = settings.signal;
		this.endsAt = settings.endsAt;
		this.fatal = settings.fatal ?? new FatalFailure();
	}

	/** Removes the credential's secrets, and everything that looks like one, from a string. */
	readonly redact = (text: string): string => redact(text, this.settings.secrets);

	/** Returns a copy of this client whose calls last no longer than `endsAt`, ms since the epoch. */
	withEnd(endsAt: number): Client {
		return new Client({ ...this.settings, endsAt, fatal: this.fatal });
	}

	/**
	 * Makes one call when the rate limiter allows it; `call` is built only then. Reports the response to the rate limiter.
	 * @throws SegmindFailure when stopped, or for a URL outside the credential's origins
	 */
	async callOnce(
		call: HttpCall | (() => HttpCall | Promise<HttpCall>),
		rules: CallRules,
	): Promise<CallOutcome> {
		const { priority, deadline, requestId, finishWhenStopped } = rules;
		const { limiter, signal } = this;
		this.reportPause();
		const permission = await limiter.acquire(priority, this.endOf(deadline), signal);
		if (permission === 'stopped') throw stoppedFailure(requestId);
		if (permission === 'deadlinePassed') return { kind: 'deadlinePassed', reason: '' };
		let response: HttpResponse | undefined;
		try {
			// Each try builds its own call, because the stream of an upload can be sent only once.
			const builtCall = typeof call === 'function' ? await call() : call;
			assertOwnUrl(builtCall.url, this.urls, requestId);
			if (signal?.aborted) throw stoppedFailure(requestId);
			rules.watch?.sending();
			const sentAt = this.clock.now();
			const outcome = await callService(
				this.settings.context,
				SEGMIND_API,
				this.limitToEnd(builtCall),
				{ clock: this.clock, signal: finishWhenStopped ? undefined : signal },
			);
			if (outcome.kind === 'response') response = outcome;
			this.serverClock.note(response?.headers.date, sentAt, this.clock.now());
			return outcome;
		} finally {
			limiter.release(response?.status ?? 0, response?.headers ?? {});
		}
	}

	/**
	 * Makes a call that starts something. Repeats it only if it wasn't accepted, or is free by rule: after 429 and 503 until the deadline, and a few times
	 * after a refused connection, unless `mayRepeat` says otherwise. If this throws before `watch.sending` or after `watch.notAccepted`, the call wasn't
	 * accepted: the execution was stopped while the call was waiting.
	 */
	async send(
		call: HttpCall | (() => HttpCall | Promise<HttpCall>),
		{ mayRepeat = mayBeRepeated, ...rules }: CallRules & { mayRepeat?: typeof mayBeRepeated },
	): Promise<CallOutcome> {
		return await this.repeat(call, rules, mayRepeat);
	}

	/**
	 * Makes a call that changes nothing. Repeats it after 429, 5xx and network faults until the deadline. `isUsable`: whether an error response has what the
	 * caller needs, so that the call isn't repeated.
	 */
	async read(
		call: HttpCall,
		rules: CallRules & { isUsable?: (response: HttpResponse) => boolean },
	): Promise<CallOutcome> {
		return await this.repeat(
			call,
			rules,
			(outcome) =>
				isTransient(outcome) && !(outcome.kind === 'response' && rules.isUsable?.(outcome)),
		);
	}

	/** Shows each long pause of the rate limiter once, not for each call that waits. */
	private reportPause(): void {
		const { pauseEndsAt } = this.limiter;
		const pauseMs = pauseEndsAt - this.clock.now();
		const addedMs = pauseEndsAt - this.reportedPauseEndsAt;
		// Calls that get a 429 together move the end a little.
		if (Math.min(pauseMs, addedMs) <= MIN_REPORTED_PAUSE_MS) return;
		this.reportedPauseEndsAt = pauseEndsAt;
		this.report(`the rate limit is used up, so all calls wait for ${secondsIn(pauseMs)} s`);
	}

	/** Shows in n8n's log, and in the progress of a manual run, why the run waits. */
	private report(text: string): void {
		const { context } = this.settings;
		const line = this.redact(`Segmind: ${text}`);
		context.logger.info(line);
		if ('sendMessageToUI' in context) context.sendMessageToUI(line);
	}

	private async repeat(
		call: HttpCall | (() => HttpCall | Promise<HttpCall>),
		rules: CallRules,
		mayRepeat: (outcome: CallOutcome, tries: number) => boolean,
	): Promise<CallOutcome> {
		const { clock, random, signal, limiter } = this;
		const { requestId, deadline, watch } = rules;
		const onRepeat = (outcome: CallOutcome, pauseMs: number) =>
			this.report(
				`${describeOutcome(outcome)}, so the node repeats the call${requestId ? ` for request ${requestId}` : ''} in ${secondsIn(pauseMs)} s`,
			);
		const repeatRules = { clock, random, signal, limiter, requestId, mayRepeat, watch, onRepeat };
		const endsAt = this.endOf(deadline);
		return await repeatCall(async () => await this.callOnce(call, rules), {
			...repeatRules,
			endsAt,
		});
	}

	private endOf(deadline: number): number {
		return Math.min(deadline, this.endsAt ?? Infinity);
	}

	/** Shortens a call's timeout to the time that is left until `endsAt`, but leaves enough for a response. */
	private limitToEnd(call: HttpCall): HttpCall {
		if (this.endsAt === undefined) return call;
		const left = Math.max(this.endsAt - this.clock.now(), 1_000);
		return { ...call, timeoutMs: Math.min(call.timeoutMs, left) };
	}
}

function describeOutcome(outcome: CallOutcome): string {
	if (outcome.kind === 'response') return `a call got HTTP ${outcome.status}`;
	return `a call got no response (${outcome.reason})`;
}

function secondsIn(ms: number): number {
	return Math.ceil(ms / 1_000);
}

/** The Segmind API credential of a node, as a client needs it. */
type Credential = Pick<ClientSettings, 'urls' | 'secrets' | 'credentialId'>;

/**
 * Reads the Segmind API credential of a node. Its expressions are evaluated for an item, by default the first.
 * @throws SegmindFailure for an address that can't be called
 */
export async function readCredential(
	context: Pick<IWebhookFunctions, 'getCredentials' | 'getNode'>,
	itemIndex?: number,
): Promise<Credential> {
	const data = await context.getCredentials(SEGMIND_API, itemIndex);
	const apiKey = String(data.apiKey ?? '').trim();
	return {
		urls: assertAddresses(addressesIn(data, SERVICE_URLS)),
		secrets: [apiKey],
		// Without a stored ID (tests, inline credentials) the digest identifies the key.
		credentialId: context.getNode().credentials?.[SEGMIND_API]?.id ?? digest(apiKey),
	};
}
