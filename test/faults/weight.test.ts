/** Reading input from outside takes linear time: eight times the input takes about eight times the processor time. */
import * as fc from 'fast-check';

import { safeTextOf, redact } from '../../nodes/shared/base/redact';
import { badInput } from '../../nodes/shared/errors/failures';
import { say, whole } from '../../nodes/shared/errors/say';
import { fileEntries } from '../../nodes/shared/inputs/files';
import { distinctFiles, mediaIn, mediaInNamedOutputs } from '../../nodes/shared/output/mediaUrls';
import { readNamedOutputs } from '../../nodes/shared/output/namedOutputs';
import { fileStem } from '../../nodes/shared/media/fileNames';
import { SERVICE_URLS } from '../../nodes/shared/service/addresses';
import { parseRequest } from '../../nodes/shared/request/operations/readRequestParameter';
import { filterEntries } from '../../nodes/shared/service/picker';
import { extractInlineFiles } from '../../nodes/shared/output/inlineFiles';
import { jsonAnswer } from '../../nodes/shared/output/jsonAnswer';
import { readResult } from '../../nodes/shared/output/readResult';
import { resultOfRequest } from '../../nodes/shared/output/result';
import { readV1 } from '../../nodes/shared/request/oneCall';
import { readResponse } from '../../nodes/shared/service/responses';
import { excerpt, reasonIn } from '../../nodes/shared/service/errorBody';
import { costOf, urlsIn } from '../../nodes/shared/service/history';
import {
	historyRow,
	listIn,
	parseJson,
	parseResult,
	type HistoryRow,
} from '../../nodes/shared/service/schemas';
import { timeOf } from '../../nodes/shared/service/serviceTime';
import type { Client } from '../../nodes/shared/service/client';
import { readHistory } from '../../nodes/shared/service/historyPages';
import { historyItem } from '../../nodes/shared/output/historyItem';
import { usageOf } from '../../nodes/SegmindCredits/usage';
import { evaluateReading } from '../../nodes/SegmindTrigger/historyState';
import { expectLinear } from '../helpers/processorTime';
import { checkProperty } from './randomRuns';

/** The length of the smaller text. The larger one is eight times as long. */
const N = 40_000;

/** Parts of URLs, secrets and markup. Some pattern begins or continues with each of them. */
const PIECES = String.raw`
	:// a://b? https://u:p@h/?a= :\/\/ ://a: ? ?token= &sig= @ : / = . , ; SG_ SG_0123456789 eyJ eyJabcdefgh. A a.b
	1 \ \u0041 %25 &amp; < > <style> <!-- { [ " ' …
`
	.trim()
	.split(/\s+/)
	.concat(' ', '= ', 'A ', '\u0000', '\u202e', '\ud800');

const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ minLength: 1, maxLength: 6 }));

/** A function that returns a text of any size: a piece repeated, between a beginning and an end. */
const repeatedText = fc
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

/** A function that returns JSON of any size, always in the same shape. */
const nestedJson = fc
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

const responseOf = (body: string) => ({
	kind: 'response' as const,
	status: 200,
	headers: {},
	body: Buffer.from(body),
});
const secrets = ['SG_0123456789abcdef', 'my secret + more'];

const TEXT_READERS: Record<string, (text: string) => unknown> = {
	redact: (text) => redact(text, secrets),
	safeTextOf: (text) => safeTextOf(text),
	excerpt: (text) => excerpt(text),
	'a failure': (text) => badInput(say`${text}`, whole(text)),
	'a list of errors': (text) =>
		reasonIn({ error: Array.from({ length: 20 }, () => text.slice(text.length / 20)) }),
	parseJson: (text) => parseJson(text),
	'a v1 response': (text) => readV1(responseOf(text)),
	'a v1 response in JSON': (text) =>
		readV1(responseOf(JSON.stringify({ image: text, list: [text] }))),
	jsonAnswer: (text) => jsonAnswer(text),
	urlsIn: (text) => urlsIn(text),
	'a history row': (text) =>
		historyRow.safeParse({ request_id: text, status: text, generation_url: text }),
};

const JSON_READERS: Record<string, (body: Record<string, unknown>) => unknown> = {
	reasonIn: (body) => reasonIn(body),
	'a response': (body) => readResponse(responseOf(JSON.stringify(body)), 'x'),
	listIn: (body) => listIn(body),
	'a v1 response': (body) => readV1(responseOf(JSON.stringify(body))),
	'a result': (body) => readWholeResult(body),
	'the output of a result': (body) => readWholeResult({ output: body, images: [body] }),
	costOf: (body) => costOf(body.list as HistoryRow[]),
};

const ignoreErrors = (work: () => unknown) => () => {
	try {
		work();
	} catch {
		// The text is rejected. Rejecting it must take linear time too.
	}
};
const readFiles = (text: string, isList: boolean) =>
	ignoreErrors(() => fileEntries('image', text, isList));
const readOutputs = (value: unknown[]) => {
	const named = readNamedOutputs(value);
	return mediaInNamedOutputs(named?.values ?? [], true);
};
const extractImage = (image: string) => extractInlineFiles({ image });
const readWholeResult = (body: Record<string, unknown>) =>
	readResult(resultOfRequest(body), { maker: 'model', makes: 'image', isTranscript: false });
const BASE = 'https://api.segmind.com';

const historyRows = (n: number) =>
	Array.from({ length: n }, (_, at) => ({ request_id: `${at}`, created_at: 1e12 + at }));
const historyOf = (n: number) => new Map(historyRows(n).map((row) => [row.request_id, [row]]));
/** Reads one page of the request history, and the empty one after it. */
const readRows = (list: unknown[]) => async () => {
	const pages = [list, []].map((rows) => responseOf(JSON.stringify({ data: rows })));
	const client = {
		urls: { endpointAdminUrl: BASE },
		clock: { now: () => 0 },
		read: async () => await Promise.resolve(pages.shift()!),
	} as unknown as Client;
	await readHistory(client, { from: 1e12 }, { maxPages: Infinity }, () => false);
};

/** What the package does with input made of `n` pieces. */
const SCALED_INPUTS: Record<string, (n: number) => () => unknown> = {
	'a URL with commas in a list of files': (n) => readFiles(`https://x${',a'.repeat(n)}`, true),
	'URLs with commas in a list of files': (n) => readFiles('https://x,a,b, '.repeat(n), true),
	'a data URL of commas': (n) => readFiles(`data:${',a'.repeat(n)}`, true),
	'data URLs without a comma': (n) => readFiles('data:,'.repeat(n), true),
	'names of files': (n) => readFiles('a,'.repeat(n), true),
	'base64 of a file': (n) => () => extractImage(`iVBORw0KGgo${'AAAA'.repeat(n)}`),
	'spaces in a file field': (n) => readFiles(`https://x${' '.repeat(n)}a`, false),
	'a JSON list of files': (n) => readFiles(JSON.stringify(Array(n).fill('https://x')), true),
	'brackets in a file field': (n) => readFiles('['.repeat(n), true),
	'outputs of one name': (n) => () => readOutputs(Array(n).fill({ keyname: 'x', value: 'y' })),
	'outputs of many names': (n) => () =>
		readOutputs(Array.from({ length: n }, (_, at) => ({ keyname: `${at}`, value: 'y' }))),
	'files of a result': (n) => () =>
		distinctFiles(
			mediaIn(
				Array.from({ length: n }, (_, at) => `https://x/${at}.png`),
				'members',
			),
		),
	'braces in an answer': (n) => () => jsonAnswer('{'.repeat(n)),
	'objects in an answer': (n) => () => jsonAnswer('{"a": 1} '.repeat(n)),
	'one file of a result many times': (n) => () =>
		distinctFiles(mediaIn(Array(n).fill('https://x/a.png'), 'members')),
	'a long prompt in a file name': (n) => () => fileStem('. '.repeat(n), 'x', 0),
	'one long word in a file name': (n) => () => fileStem('a'.repeat(n), 'x', 0),
	'large numbers of a result': (n) => () => parseResult(`[${'12345678901234567890,'.repeat(n)}1]`),
	'escapes in a result with a large number': (n) => () =>
		parseResult(`[12345678901234567890, "${'\\\\n'.repeat(n)}"]`),
	'quotes in a result with NaN': (n) => () => parseResult(`[NaN${',""'.repeat(n)}]`),
	'a long request': (n) =>
		ignoreErrors(() => parseRequest(`${BASE}/${'requests/'.repeat(n)}`, SERVICE_URLS)),
	'a request of percent signs': (n) =>
		ignoreErrors(() => parseRequest(`${BASE}/requests/${'%25'.repeat(n)}`, SERVICE_URLS)),
	'a long list in a picker': (n) => () =>
		filterEntries(Array(n).fill({ name: '='.repeat(50), value: 'v' }), 'v'),
	'one long name in a picker': (n) => () => filterEntries([{ name: '= '.repeat(n), value: 'v' }]),
	'a time of brackets': (n) => () => timeOf(`Jan ${'z ('.repeat(n)}`),
	'a time of offsets': (n) => () => timeOf(`Jan ${'+00:00 ('.repeat(n)}`),
	'base64 that ends wrongly': (n) => () => extractImage(`AAAA${' '.repeat(n)}!`),
	'base64 with spaces': (n) => () => extractImage(`${'A '.repeat(n)}=!`),
	'base64 of padding': (n) => () => extractImage(`A${'= '.repeat(n)}`),
	'rows of the request history': (n) => readRows(historyRows(n)),
	'equal rows of the request history': (n) => readRows(Array(n).fill({ request_id: 'x' })),
	'rows of the request history without an ID': (n) =>
		readRows(Array.from({ length: n }, (_, at) => at)),
	'files of a request in the history': (n) => () =>
		historyItem(
			'x',
			Array.from({ length: n }, (_, at) => ({
				request_id: 'x',
				generation_url: `https://x/${at}`,
			})),
			true,
		),
	'usage by day and model': (n) => () => usageOf(historyOf(n), 'dayAndModel', String),
	'a page that the trigger evaluates': (n) => () =>
		evaluateReading(
			{ mark: 0, seen: [] },
			{ rows: historyRows(n).map((row) => ({ ...row, status: 'COMPLETED' })), end: 'enough' },
			2e12,
		),
	'a picker filter of many words': (n) => () =>
		filterEntries([{ name: 'name', value: 'v' }], 'n '.repeat(n)),
};

test.each(Object.entries(TEXT_READERS))(
	'%s takes linear time for any text',
	async (_name, work) => {
		await checkProperty(30, repeatedText, async (make) => await expectLinear(make, work, N));
	},
);

test.each(Object.entries(JSON_READERS))(
	'%s takes linear time for any JSON',
	async (_name, work) => {
		await checkProperty(20, nestedJson, async (make) => await expectLinear(make, work, N));
	},
);

test.each(Object.entries(SCALED_INPUTS))('takes linear time: %s', async (_name, makeWork) => {
	await expectLinear(makeWork, (work) => work(), 12_500);
});

// A pattern may be slow only for a few texts, which random texts can miss.
test('redact takes linear time for any two pieces, repeated', async () => {
	for (const pair of PIECES.flatMap((one) => PIECES.map((other) => one + other)))
		await expectLinear(
			(size) => pair.repeat(size / 4),
			(text) => redact(text),
			4_000,
		);
});
