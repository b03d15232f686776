import type {
	IAdditionalCredentialOptions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { SegmindFailure, type FailureFacts } from '../base/failure';
import { stopped } from '../errors/failures';
import { digest } from '../base/hash';
import { redact } from '../base/redact';
import { rateLimiterFor, type Purpose, type RateLimiter } from './rateLimiter';
import { addressesIn, SERVICE_URLS } from './addresses';
import {
	callService,
	callWithoutCredential,
	type CallEnds,
	type HttpResponse,
	type HttpCall,
	type HttpOutcome,
	type ServiceContext,
} from './http';
import { assertOwn, type ServiceUrls } from './origins';
import { isTransient, mayBeSentAgain, pauseBeforeRetry, sentFrom, type Sent } from './retry';
import { ServerClock } from './serverClock';
import { TimeLimits, timeLimits } from './timeLimits';

export const SEGMIND_API = 'segmindApi';

/** Limits of single calls, ms. */
export const SUBMIT_LIMIT_MS = 60_000;
export const READ_LIMIT_MS = 30_000;

interface CallRules {
	purpose: Purpose;
	/** When to give up, ms since the epoch. */
	deadline: number;
	/** From when on a status check goes before new submissions, ms since the epoch. */
	urgentAt?: number;
	/** Let the call finish although the execution is stopped. */
	finishWhenStopped?: boolean;
	/** Only used in the text of a stop. */
	requestId?: string;
	/** Who is told of each HTTP call. */
	watch?: CallWatch;
}

/** Told of each HTTP call: as it goes out, and when it certainly wasn't accepted. */
export interface CallWatch {
	sending(): void;
	notAccepted(): void;
}

interface Settings {
	context: ServiceContext;
	urls: ServiceUrls;
	/** Id and name of the credential. */
	credential: { id: string; name: string };
	secrets: readonly string[];
	clock?: Clock;
	random?: () => number;
	limiter?: RateLimiter;
	/** Fires when the execution is stopped. */
	signal?: AbortSignal;
	/** No call lasts beyond this, ms since the epoch. */
	endsAt?: number;
	additional?: IAdditionalCredentialOptions;
}

/**
 * Makes every call of one Segmind API credential, in an execution, a poll or a webhook: through the credential's rate limiter, with its retries,
 * one deadline, and its secrets kept out of every text. Calls go only to the credential's own origins, and follow
 * no redirect.
 */
export class Client {
	readonly urls: ServiceUrls;

	readonly credential: { id: string; name: string };

	readonly clock: Clock;

	readonly limiter: RateLimiter;

	readonly signal?: AbortSignal;

	readonly endsAt?: number;

	readonly random: () => number;

	/** Set once no later call can succeed (bad key, empty balance): what is not yet sent fails without a call. */
	fatalFailure?: FailureFacts;

	readonly serverClock = new ServerClock();

	private readonly limits: TimeLimits;

	constructor(private readonly settings: Settings) {
		const { clock = systemClock, random = Math.random, credential, urls } = settings;
		this.urls = urls;
		this.credential = credential;
		this.clock = clock;
		this.random = random;
		this.limiter = settings.limiter ?? rateLimiterFor(`${credential.id}|${urls.baseUrl}`);
		this.signal = settings.signal;
		this.endsAt = settings.endsAt;
		this.limits = clock === systemClock ? timeLimits : new TimeLimits(clock);
	}

	/** Takes the credential's secrets and everything that looks like one out of a text. */
	readonly redact = (text: string): string => redact(text, this.settings.secrets);

	/** The same client for calls of which none lasts beyond `endsAt`, ms since the epoch. */
	until(endsAt: number): Client {
		return new Client({ ...this.settings, limiter: this.limiter, endsAt });
	}

	/** Remembers a failure that no later item can get past, and returns it. */
	remembering(failure: SegmindFailure): SegmindFailure {
		if (failure.facts.fatal) this.fatalFailure ??= failure.facts;
		return failure;
	}

	/** One call as soon as the rate limiter lets it through, `call` made only then. The rate limiter learns of a 429. Throws only when stopped. */
	async callOnce(
		call: HttpCall | (() => HttpCall | Promise<HttpCall>),
		rules: CallRules,
	): Promise<Sent> {
		const { purpose, deadline, urgentAt, requestId, finishWhenStopped } = rules;
		const { limiter, signal } = this;
		const acquired = await limiter.acquire(purpose, this.endOf(deadline), signal, urgentAt);
		if (acquired === 'stopped') throw stopped(requestId);
		if (acquired === 'late') return { kind: 'late' };
		let answered: HttpResponse | undefined;
		try {
			// Made only now: what it notes down is true from the moment it is sent.
			const made = typeof call === 'function' ? await call() : call;
			assertOwn(made.url, this.urls, requestId);
			rules.watch?.sending();
			const sentAt = this.clock.now();
			const outcome = await callService(
				this.settings.context,
				SEGMIND_API,
				this.withinTime(made),
				{ clock: this.clock, limits: this.limits, signal: finishWhenStopped ? undefined : signal },
				this.settings.additional,
			);
			if ('response' in outcome) answered = outcome.response;
			this.serverClock.note(answered?.headers.date, sentAt, this.clock.now());
			return sentFrom(outcome);
		} finally {
			limiter.release(answered?.status ?? 0, answered?.headers ?? {});
		}
	}

	/**
	 * A call that starts something: sent again only when it certainly was not accepted. 429 and 503 are waited out until the deadline, a refused
	 * connection is tried a few times. What is thrown before `sending`, or after `notAccepted`, was not accepted: Stop came while the call had to wait.
	 */
	async send(
		call: HttpCall | (() => HttpCall | Promise<HttpCall>),
		rules: CallRules,
	): Promise<Sent> {
		return await this.repeat(call, rules, mayBeSentAgain);
	}

	/** A call that changes nothing: survives 429, 5xx and network faults until the deadline. `isUsable`: true for an error's answer that still holds what was asked for. */
	async read(
		call: HttpCall,
		rules: CallRules & { isUsable?: (response: HttpResponse) => boolean },
	): Promise<Sent> {
		return await this.repeat(
			call,
			rules,
			(sent) => isTransient(sent) && !(sent.kind === 'response' && rules.isUsable?.(sent.response)),
		);
	}

	/** A call without the credential, to an address that is not the service's: a presigned upload. Neither limited nor repeated. */
	async callWithout(
		request: IExecuteFunctions['helpers']['httpRequest'],
		call: HttpCall,
	): Promise<HttpOutcome> {
		return await callWithoutCredential(request, call, this.ends);
	}

	private get ends(): CallEnds {
		return { clock: this.clock, limits: this.limits, signal: this.signal };
	}

	private async repeat(
		call: HttpCall | (() => HttpCall | Promise<HttpCall>),
		rules: CallRules,
		again: (sent: Sent, tries: number) => boolean,
	): Promise<Sent> {
		for (let tries = 1; ; tries++) {
			const sent = await this.callOnce(call, rules);
			if (sent.kind === 'late' || !again(sent, tries)) return sent;
			rules.watch?.notAccepted();
			const { clock, random, signal, limiter } = this;
			const { requestId } = rules;
			const endsAt = this.endOf(rules.deadline);
			const pausing = { clock, random, signal, endsAt, limiter, requestId };
			if (!(await pauseBeforeRetry(sent, tries, pausing))) return late(sent);
		}
	}

	private endOf(deadline: number): number {
		return Math.min(deadline, this.endsAt ?? Infinity);
	}

	/** A poll's call is cut to what is left of the poll's time, but never to nothing: a call just let through may still be answered. */
	private withinTime(call: HttpCall): HttpCall {
		if (this.endsAt === undefined) return call;
		const left = Math.max(this.endsAt - this.clock.now(), 1_000);
		return { ...call, limitMs: Math.min(call.limitMs, left) };
	}
}

function late(sent: Exclude<Sent, { kind: 'late' }>): Sent {
	if (sent.kind === 'response') return { kind: 'late', response: sent.response };
	return { kind: 'late', fault: sent.fault };
}

/** The Segmind API credential as it is read from n8n. */
interface ReadCredential {
	urls: ServiceUrls;
	secrets: string[];
	credential: { id: string; name: string };
	data: ICredentialDataDecryptedObject;
}

export async function readCredential(
	context: Pick<IWebhookFunctions, 'getCredentials' | 'getNode'>,
): Promise<ReadCredential> {
	const data = await context.getCredentials(SEGMIND_API);
	const text = (name: string) => String(data[name] ?? '').trim();
	const stored = context.getNode().credentials?.[SEGMIND_API];
	return {
		data,
		urls: addressesIn(data, SERVICE_URLS),
		secrets: [text('apiKey')],
		// Without a stored id (tests, inline credentials) keys are told apart by their digest.
		credential: { id: stored?.id ?? digest(text('apiKey')), name: stored?.name ?? SEGMIND_API },
	};
}
