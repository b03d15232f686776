/** Reading input from outside takes linear time: eight times the input takes about eight times the processor time. */
import * as fc from 'fast-check';

import { safeTextOf, redact } from '../../nodes/shared/base/redact';
import { badInput, explainStatus } from '../../nodes/shared/errors/failures';
import { mediaParts } from '../../nodes/shared/inputs/mediaParts';
import { mediaIn, mediaInNamedOutputs } from '../../nodes/shared/output/media';
import { readNamedOutputs } from '../../nodes/shared/output/namedOutputs';
import { safeFileName } from '../../nodes/shared/media/mediaTypes';
import { parseRequest } from '../../nodes/shared/request/operations/readRequest';
import { filterEntries } from '../../nodes/shared/service/picker';
import { extractInlineFiles } from '../../nodes/shared/output/inlineFiles';
import { readResult } from '../../nodes/shared/output/result';
import { readV1 } from '../../nodes/shared/output/v1Response';
import { failureReason, readResponse } from '../../nodes/shared/service/responses';
import { excerpt, reasonIn } from '../../nodes/shared/service/errorBody';
import { costOf, urlsIn } from '../../nodes/shared/service/history';
import { historyRow, listIn, parseJson, type HistoryRow } from '../../nodes/shared/service/schemas';
import { timeOf } from '../../nodes/shared/service/timeText';
import type { Client } from '../../nodes/shared/service/client';
import { nextPage, openHistory } from '../../nodes/shared/service/historyPages';
import { historyItem } from '../../nodes/shared/output/historyRequests';
import { usageOf } from '../../nodes/SegmindCredits/usage';
import { initialState, evaluateReading } from '../../nodes/SegmindTrigger/historyState';
import { expectLinear } from '../helpers/processorTime';
import { checkProperty } from './randomRuns';

/** Characters of the smaller text; the larger one is eight times as long. */
const N = 40_000;

/** What addresses, secrets and markup are made of: each is where some pattern begins, or goes on. */
const PIECES = String.raw`
	:// a://b? https://u:p@h/?a= :\/\/ ://a: ? ?token= &sig= @ : / = . , ; SG_ SG_0123456789 eyJ eyJabcdefgh. A a.b
	1 \ \u0041 %25 &amp; < > <style> <!-- { [ " ' …
`
	.trim()
	.split(/\s+/)
	.concat(' ', '= ', 'A ', '\u0000', '\u202e', '\ud800');

const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ minLength: 1, maxLength: 6 }));

/** A text that repeats something, between something else: the same of any size. */
const grown = fc
	.tuple(
		fc.constantFrom('', 'https://', '<html>', 'data:image/png;base64,', '{"a":"'),
		piece,
		piece,
	)
	.map(
		([before, unit, after]) =>
			(size: number) =>
				`${before}${unit.repeat(Math.ceil(size / unit.length))}${after}`,
	);

/** JSON of a shape that may be of any size. */
const nested = fc
	.tuple(
		fc.array(fc.constantFrom('error', 'message', 'detail', 'msg', 'reason', 'x'), {
			minLength: 1,
			maxLength: 3,
		}),
		fc.nat(150),
		fc.boolean(),
		piece,
	)
	.map(([names, levels, inLists, text]) => (size: number): Record<string, unknown> => {
		let value: unknown = text;
		for (let level = 0; level < levels; level++)
			value = inLists
				? [value]
				: level < 12
					? Object.fromEntries(names.map((name) => [name, value]))
					: { [names[0]]: value };
		const list = Array.from({ length: Math.ceil(size / 40) }, (_unused, at) => ({ text, at }));
		return { error: value, list, detail: list, output: text.repeat(size / 10) };
	});

const answer = (body: string) => ({ status: 200, headers: {}, body: Buffer.from(body) });
const secrets = ['SG_0123456789abcdef', 'my secret + more'];

const OF_TEXT: Record<string, (text: string) => unknown> = {
	redact: (text) => redact(text, secrets),
	shown: (text) => safeTextOf(text),
	excerpt: (text) => excerpt(text),
	failure: (text) => badInput({ what: '{text}', todo: '{text}' }, { text }),
	status: (text) =>
		badInput(
			{ what: '{text}', todo: '' },
			{
				text: explainStatus({
					purpose: 'submit',
					status: 406,
					reason: excerpt(text),
					subject: text,
				}).message,
			},
		),
	'list of errors': (text) =>
		reasonIn({ error: Array.from({ length: 20 }, () => text.slice(text.length / 20)) }),
	parse: (text) => parseJson(text),
	v1: (text) => readV1(answer(text)),
	'v1 JSON': (text) => readV1(answer(JSON.stringify({ image: text, list: [text] }))),
	urls: (text) => urlsIn(text),
	row: (text) => historyRow.safeParse({ request_id: text, status: text, generation_url: text }),
};

const OF_JSON: Record<string, (body: Record<string, unknown>) => unknown> = {
	reason: (body) => reasonIn(body),
	'failed request': (body) => failureReason(body as never),
	answer: (body) => readResponse(answer(JSON.stringify(body)), 'x'),
	list: (body) => listIn(body),
	v1: (body) => readV1(answer(JSON.stringify(body))),
	result: (body) => whole(body),
	'output of a result': (body) => whole({ output: body, images: [body] }),
	cost: (body) => costOf(body.list as HistoryRow[]),
};

const none = { find: () => undefined, existing: '' };
const ignoreErrors = (work: () => unknown) => () => {
	try {
		work();
	} catch {
		// The text is refused; what that costs is measured.
	}
};
const files = (text: string, isList: boolean) =>
	ignoreErrors(() => mediaParts('image', text, isList, none));
const outputs = (value: unknown[]) => {
	const named = readNamedOutputs(value);
	return mediaInNamedOutputs(named?.values ?? []);
};
const LIMITS = { maxBytes: 1e9, anywhereDownTo: 2 };
const ofImage = (image: string) => extractInlineFiles({ image }, LIMITS);
const whole = (body: Record<string, unknown>) => {
	const { value } = extractInlineFiles(body, LIMITS);
	return readResult({ itemIndex: 0, madeBy: {}, isWorkflow: false, body: value as typeof body });
};
const BASE = 'https://api.segmind.com';

const historyRows = (n: number) =>
	Array.from({ length: n }, (_, at) => ({ request_id: `${at}`, created_at: 1e12 + at }));
const aHistory = (n: number) => new Map(historyRows(n).map((row) => [row.request_id, [row]]));
/** Reads one page of the request history, and the empty one after it. */
const readHistory = (list: unknown[]) => async () => {
	const pages = [list, []].map((rows) => answer(JSON.stringify({ data: rows })));
	const client = {
		urls: { endpointAdminUrl: BASE },
		clock: { now: () => 0 },
		read: async () => await Promise.resolve({ kind: 'response', response: pages.shift()! }),
	} as unknown as Client;
	const history = openHistory(client, () => ({ from: 1e12 }));
	while (!(await nextPage(client, history)).isLast);
};

/** What is done with a text or list made of `n` pieces. */
const DOORS: Record<string, (n: number) => () => unknown> = {
	'an address with commas in a list of files': (n) => files(`https://x${',a'.repeat(n)}`, true),
	'addresses with commas in a list of files': (n) => files('https://x,a,b, '.repeat(n), true),
	'a data URL of commas': (n) => files(`data:${',a'.repeat(n)}`, true),
	'data URLs without a comma': (n) => files('data:,'.repeat(n), true),
	'names of files': (n) => files('a,'.repeat(n), true),
	'base64 of a file': (n) => () => ofImage(`iVBORw0KGgo${'AAAA'.repeat(n)}`),
	'spaces in a file field': (n) => files(`https://x${' '.repeat(n)}a`, false),
	'a JSON list of files': (n) => files(JSON.stringify(Array(n).fill('https://x')), true),
	'brackets in a file field': (n) => files('['.repeat(n), true),
	'outputs of one name': (n) => () => outputs(Array(n).fill({ keyname: 'x', value: 'y' })),
	'outputs of many names': (n) => () =>
		outputs(Array.from({ length: n }, (_, at) => ({ keyname: `${at}`, value: 'y' }))),
	'files of a result': (n) => () =>
		mediaIn({ images: Array.from({ length: n }, (_, at) => `https://x/${at}.png`) }, undefined),
	'one file of a result many times': (n) => () =>
		mediaIn({ images: Array(n).fill('https://x/a.png') }, undefined),
	'a long file name': (n) => () => safeFileName('. '.repeat(n), 'image/png', 'f'),
	'a file name of many directions': (n) => () => safeFileName('\u202e'.repeat(n), 'image/png', 'f'),
	'a long request': (n) =>
		ignoreErrors(() => parseRequest(`${BASE}/${'requests/'.repeat(n)}`, BASE)),
	'a request of percent signs': (n) =>
		ignoreErrors(() => parseRequest(`${BASE}/requests/${'%25'.repeat(n)}`, BASE)),
	'a list for a picker': (n) => () =>
		filterEntries(Array(n).fill({ name: '='.repeat(50), value: 'v' }), 'v'),
	'one long name in a picker': (n) => () => filterEntries([{ name: '= '.repeat(n), value: 'v' }]),
	'a time of brackets': (n) => () => timeOf(`Jan ${'z ('.repeat(n)}`),
	'a time of offsets': (n) => () => timeOf(`Jan ${'+00:00 ('.repeat(n)}`),
	'base64 that ends wrongly': (n) => () => ofImage(`AAAA${' '.repeat(n)}!`),
	'base64 in words': (n) => () => ofImage(`${'A '.repeat(n)}=!`),
	'base64 of ends': (n) => () => ofImage(`A${'= '.repeat(n)}`),
	'rows of the request history': (n) => readHistory(historyRows(n)),
	'equal rows of the request history': (n) => readHistory(Array(n).fill({ request_id: 'x' })),
	'rows of the request history without an ID': (n) =>
		readHistory(Array.from({ length: n }, (_, at) => at)),
	'files of a request of the history': (n) => () =>
		historyItem(
			'x',
			Array.from({ length: n }, (_, at) => ({
				request_id: 'x',
				generation_url: `https://x/${at}`,
			})),
			true,
		),
	'usage by day and model': (n) => () => usageOf(aHistory(n), 'dayAndModel', String),
	'a page that the trigger judges': (n) => () =>
		evaluateReading(
			initialState(1e12),
			{
				rows: Array.from({ length: n }, (_, at) => ({
					id: `${at}`,
					madeAt: 1e12 + at,
					state: 'completed' as const,
				})),
				end: 'mark',
			},
			2e12,
		),
	'words to look for in a picker': (n) => () =>
		filterEntries([{ name: 'name', value: 'v' }], 'n '.repeat(n)),
};

test.each(Object.entries(OF_TEXT))('%s takes linear time for any text', async (_name, work) => {
	await checkProperty(30, grown, async (make) => await expectLinear(make, work, N));
});

test.each(Object.entries(OF_JSON))('%s takes linear time for any JSON', async (_name, work) => {
	await checkProperty(20, nested, async (make) => await expectLinear(make, work, N));
});

test.each(Object.entries(DOORS))('takes linear time: %s', async (_name, door) => {
	await expectLinear(door, (work) => work(), 12_500);
});

// A pattern is slow with few texts, which chance may miss.
test('redact takes linear time for any two pieces, repeated', async () => {
	for (const pair of PIECES.flatMap((one) => PIECES.map((other) => one + other)))
		await expectLinear(
			(size) => pair.repeat(size / 4),
			(text) => redact(text),
			4_000,
		);
});
