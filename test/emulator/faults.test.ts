/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Each fault affects the calls it is for, as often as specified, with or without creating a job. */
import { connect } from 'node:net';

import type { FaultAction } from '../../dev/emulator';
import type { FaultName } from '../../dev/emulator/faultTable';
import { call, submit, useEmulatorWithManualClock } from './client';

const { emulator, clock } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 0 });

const creditsUrl = () => `${emulator.urls.api}/v1/get-user-credits`;
const getCredits = async () => await call(emulator, creditsUrl());

test('a fault affects its targets, the given number of times and after the given number of calls', async () => {
	const statuses = async (count: number): Promise<number[]> => {
		const seen: number[] = [];
		for (let index = 0; index < count; index++) seen.push((await getCredits()).status);
		return seen;
	};
	const on = ['credits', 'submit'] as const;
	const fault = emulator.fault({ on: [...on], after: 1, times: 2, do: { status: 500 } });
	expect(await statuses(4)).toEqual([200, 500, 500, 200]);
	expect(fault.hits).toBe(2);
	const pattern = { origin: 'api', method: 'get', path: 'credits' } as const;
	const always = emulator.fault({ on: pattern, times: Infinity, do: { status: 403 } });
	expect(await statuses(3)).toEqual([403, 403, 403]);
	always.remove();
	emulator.fault({ on: ({ index }) => index === 8, do: { status: 401 } });
	expect(await statuses(3)).toEqual([200, 401, 200]);
	emulator.fault({ on: { path: /credits$/ }, times: 'always', do: { status: 400 } });
	expect(await statuses(1)).toEqual([400]);
	emulator.clearFaults();
	expect(await statuses(1)).toEqual([200]);
});

test('a fault can be limited to a state of the request', async () => {
	emulator.set({ jobMs: 1000 });
	emulator.fault({ on: { kind: 'status', state: 'COMPLETED' }, do: 'notFound' });
	const { json } = await submit(emulator, 'flux-dev');
	expect((await call(emulator, json.status_url)).status).toBe(200);
	clock.forward(1000);
	for (const status of [404, 200])
		expect((await call(emulator, json.status_url)).status).toBe(status);
});

/** A submission with a fault: what the client receives, and what becomes of it. */
interface Sight {
	do: FaultAction;
	/** What arrives, head and body, in latin1. */
	text: RegExp;
	/** Whether the connection then closes. An open one is watched until the text has arrived, and a silent one until another call has its response. */
	closes: boolean;
	jobs: number;
}
const ACCEPTED = /^HTTP\/1.1 200 OK[^]*\r\n\r\n\{[^]*"request_id"[^]*\}$/;
const NOTHING = /^$/;

/** Every fault, by name: without a row here, this file doesn't compile. */
const SIGHTS: Record<FaultName, Sight> = {
	dropBeforeAccept: { do: 'dropBeforeAccept', text: NOTHING, closes: true, jobs: 0 },
	dropAfterAccept: { do: 'dropAfterAccept', text: NOTHING, closes: true, jobs: 1 },
	hang: { do: 'hang', text: NOTHING, closes: false, jobs: 0 },
	hangAfterAccept: { do: 'hangAfterAccept', text: NOTHING, closes: false, jobs: 1 },
	notFound: { do: 'notFound', text: /^HTTP\/1.1 404 /, closes: true, jobs: 0 },
	halfHead: { do: 'halfHead', text: /^HTTP\/1.1 200 OK\r\n[^]*applic$/, closes: false, jobs: 1 },
	endless: { do: 'endless', text: /\r\n\r\n[^]*\0{100}/, closes: false, jobs: 1 },
	redirect: {
		do: { redirect: 'http://x.test/', status: 302 },
		text: /^HTTP\/1.1 302 [^]*location: http:\/\/x.test\/\r\n/i,
		closes: true,
		jobs: 0,
	},
	status: { do: { status: 503 }, text: /^HTTP\/1.1 503 /, closes: true, jobs: 0 },
	delayMs: { do: { delayMs: 1 }, text: ACCEPTED, closes: true, jobs: 1 },
	truncate: {
		do: { truncate: 5 },
		text: /content-length: \d{3}\r\n[^]*\r\n\r\n.{5}$/i,
		closes: true,
		jobs: 1,
	},
	stall: {
		do: { stall: 5 },
		text: /content-length: \d{3}\r\n[^]*\r\n\r\n.{5}$/i,
		closes: false,
		jobs: 1,
	},
	trickleMs: { do: { trickleMs: 1 }, text: /"request_id"/, closes: true, jobs: 1 },
	// Each byte is a chunk of its own.
	dripMs: { do: { dripMs: 0 }, text: /\}\r\n(1\r\n \r\n){3}/, closes: false, jobs: 1 },
	gzipBomb: {
		do: { gzipBomb: 1_000 },
		text: /content-encoding: gzip\r\n[^]*\r\n\r\n[^]*.\u008b/i,
		closes: true,
		jobs: 1,
	},
	rewrite: {
		do: { rewrite: { without: ['request_id'] } },
		text: /^HTTP\/1.1 200 OK(?![^]*"request_id")/,
		closes: true,
		jobs: 1,
	},
	body: { do: { body: 'odd' }, text: /\r\n\r\n[^]*odd/, closes: true, jobs: 1 },
};

test.each(Object.entries(SIGHTS))('a client sees the fault %s', async (_name, sight) => {
	emulator.fault({ on: 'submit', do: sight.do });
	const { hostname, port } = new URL(emulator.urls.api);
	const socket = connect(Number(port), hostname);
	let text = '';
	const closed = new Promise((resolve) => socket.once('close', resolve));
	const seen = new Promise<void>((resolve) => {
		socket.setEncoding('latin1').on('data', (part) => {
			text += String(part);
			if (sight.text.test(text)) resolve();
		});
	});
	socket.on('error', () => {});
	const body = JSON.stringify({ prompt: 'p' });
	const headers = {
		host: hostname,
		connection: 'close',
		'x-api-key': emulator.key,
		'content-type': 'application/json',
		'content-length': body.length,
	};
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.write(`POST /v2/flux-dev HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
	if (sight.closes) await closed;
	else if (sight.text === NOTHING) await untilRecorded();
	else await seen;
	expect(text).toMatch(sight.text);
	expect(socket.destroyed).toBe(sight.closes);
	expect(emulator.jobs).toHaveLength(sight.jobs);
	socket.destroy();
	await closed;
});

/** Resolves when the emulator has dealt with the submission, and another call has its response. */
async function untilRecorded(): Promise<void> {
	do await getCredits();
	while (!emulator.calls.some(({ kind, fault }) => kind === 'submit' && fault !== undefined));
	await getCredits();
}
