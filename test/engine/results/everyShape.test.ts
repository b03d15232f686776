/** Results of every shape, in every way to an item: nothing that was paid for is missing, and no URL in a model's text is fetched. */
import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	base64Of,
	isListedWay,
	isOneCallWay,
	isWorkflowWay,
	MARK,
	PICTURE_START,
	pictureOf,
	UNKNOWN_MODEL,
	useArrivals,
	WAYS,
	without,
	type Arrival,
	type Way,
} from '../../helpers/arrivals';
import {
	fileUrlsIn,
	filled,
	picturesIn,
	responseOf,
	shapes,
	textsOf,
	wholeOf,
	type Shape,
} from '../../helpers/resultShapes';
import { model, runParams, workflowParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';

const { emulator, runNode, urlOf, fileAt, serve, arrivalOf, arrivalFromHistory } = useArrivals();

/** What stands for the URLs and pictures in a table, because the emulator's addresses are known only when a test runs. */
const [NAMED, NAMED_2, PAGE, PAGE_2, PICTURE] = ['named1', 'named2', 'page1', 'page2', 'picture1'];
const picture = pictureOf(1);

/** Fills in the URLs and pictures of a row. */
function fillIn<T>(value: T): T {
	const text = JSON.stringify(value).replace(/(named|page|picture)(\d)/g, (_all, kind, number) =>
		kind === 'picture' ? base64Of(Number(number)) : urlOf(String(kind), Number(number)),
	);
	return JSON.parse(text) as T;
}

/** What is expected of a row; members that are left out are empty. */
interface Expected {
	json: IDataObject;
	/** The files that are fetched. */
	fetched?: string[];
	/** The files that came as bytes. They are the first ones. */
	inline?: Buffer[];
	hints?: number;
}

/** The members of an item, in order. */
const ORDER = [
	...['url', 'urls', 'last_frame_url', 'data', 'text', 'outputs', 'output', 'request_id', 'status'],
	...['model', 'workflow', 'cost', 'remaining_credits', 'seed', 'usage'],
];

/** The members with the values of the headers of a v1 response. */
const OF_HEADERS = ['cost', 'remaining_credits', 'generation_time', 'seed'];

/** What the output has besides with Simplify off: also the named outputs of JSON text. */
const ADDED = [...OF_HEADERS, 'outputs'];

async function expectArrival(way: Way, body: IDataObject | string | Buffer, expected: Expected) {
	const { json, fetched = [], inline = [], hints = 0 } = fillInExpected(expected);
	serve([NAMED, NAMED_2, PAGE, PAGE_2].map(fillIn));
	const isJson = !Buffer.isBuffer(body) && typeof body !== 'string';
	const arrival = await arrivalOf(way, isJson ? fillIn(body) : body);
	const shown = isOneCallWay(way) ? without(arrival.json, OF_HEADERS) : arrival.json;
	expect(shown).toEqual(json);
	expect(arrival.names).toEqual(ORDER.filter((name) => arrival.names.includes(name)));
	expect(arrival.fetched).toEqual(fetched);
	expect(arrival.files).toEqual([...inline, ...fetched.map(fileAt)]);
	expect(arrival.hints).toHaveLength(hints);
}

function fillInExpected({ json, fetched, inline, hints }: Expected): Expected {
	const { url, urls = url === undefined ? undefined : [url] } = json;
	const withUrls = urls === undefined ? json : { ...json, urls };
	return { json: fillIn(withUrls), fetched: fetched?.map(fillIn), inline, hints };
}

const openAi = (content: unknown, more: IDataObject = {}) => ({
	choices: [{ message: { content, ...more } }] as unknown as IDataObject[],
});

describe('nothing is lost', () => {
	test.each<[string, Way, IDataObject, Expected]>([
		[
			'members beside the name and the value of a named output',
			'workflow',
			{ output: [{ keyname: 'a', value: 'x', score: 7 }] },
			{ json: { outputs: { a: 'x' }, output: [{ keyname: 'a', value: 'x', score: 7 }] } },
		],
		[
			'members beside the data of a named output',
			'workflow',
			{ output: [{ keyname: 'a', value: { data: 'x', type: 'text', score: 7 } }] },
			{ json: { outputs: { a: { data: 'x', type: 'text', score: 7 } } } },
		],
		[
			'an entry beside named outputs',
			'workflow',
			{ output: [{ keyname: 'a', value: 'x' }, 'y'] },
			{ json: { outputs: { a: 'x' }, output: [{ keyname: 'a', value: 'x' }, 'y'] } },
		],
		[
			'an entry beside what looks like named outputs',
			'listed',
			{ output: [{ keyname: 'a', value: 'x' }, { mask: NAMED }] },
			{ json: { url: NAMED, output: [{ keyname: 'a', value: 'x' }, { mask: NAMED }] } },
		],
		[
			'a file beside an inline one',
			'image',
			{ image: PICTURE, video: NAMED },
			{ json: { url: NAMED }, inline: [picture], fetched: [NAMED] },
		],
		[
			'a URL beside a transcript',
			'transcribe',
			{ output: { text: 'hi', recording: NAMED } },
			{ json: { text: 'hi', output: { text: 'hi', recording: NAMED } } },
		],
		[
			"a transcript beside a language model's text",
			'transcribe',
			{ output: { ...openAi('hi'), text: 'bye' } },
			{ json: { text: 'hi', output: { ...openAi('hi'), text: 'bye' } } },
		],
		[
			'a transcript beside a URL',
			'transcribe',
			{ output: NAMED, transcript: 'hi' },
			{ json: { text: 'hi', output: NAMED } },
		],
		[
			'a transcript beside a file',
			'transcribe',
			{ output: 'hi', audio: NAMED },
			{ json: { url: NAMED, text: 'hi' }, fetched: [NAMED] },
		],
		[
			'the JSON that was asked for, and its text',
			'asJson',
			{ output: { ...openAi('{"a": 1}'), usage: { total_tokens: 3 } }, video: PAGE },
			{
				json: { url: PAGE, data: { a: 1 }, text: '{"a": 1}', usage: { total_tokens: 3 } },
				fetched: [PAGE],
			},
		],
		[
			'a text that differs in white space only',
			'model',
			{ output: openAi('hi', { reasoning: ' hi' }) },
			{ json: { text: 'hi', output: openAi('hi', { reasoning: ' hi' }) } },
		],
		[
			'members beside named outputs',
			'workflow',
			{ output: [{ keyname: 'a', value: 'x' }], scores: [7] },
			{
				json: {
					outputs: { a: 'x' },
					output: { output: [{ keyname: 'a', value: 'x' }], scores: [7] },
				},
			},
		],
		[
			"the outputs of a workflow that look like a language model's response",
			'workflow',
			{ output: openAi('hi') },
			{ json: { outputs: openAi('hi') } },
		],
		[
			"a file beside what looks like a language model's response",
			'workflow',
			{ ...openAi('hi'), video: PAGE },
			{ json: { url: PAGE, output: { ...openAi('hi'), video: PAGE } }, fetched: [PAGE] },
		],
		[
			'outputs of the same name',
			'workflow',
			{ output: [NAMED, 'x', null].map((value) => ({ keyname: 'a', value })) },
			{ json: { url: NAMED, outputs: { a: [NAMED, 'x', null] } }, fetched: [NAMED] },
		],
		[
			'outputs whose type is no text, or whose data is missing, and one named like a prototype',
			'workflow',
			{
				output: [
					{ keyname: 'boxes', value: { data: [1, 2], type: 7 } },
					{ keyname: 'meta', value: { type: 'image' } },
					{ keyname: '__proto__', value: 'c' },
				],
			},
			{ json: JSON.parse('{"outputs":{"boxes":[1,2],"meta":{"type":"image"},"__proto__":"c"}}') },
		],
		[
			'the members of a workflow without an output',
			'workflow',
			{ a: NAMED, b: { data: PAGE, type: 'image' }, c: 7 },
			{
				json: { url: NAMED, urls: [NAMED, PAGE], outputs: { a: NAMED, b: PAGE, c: 7 } },
				fetched: [NAMED, PAGE],
			},
		],
	])('%s (%s)', async (_what, way, body, expected) => {
		await expectArrival(way, body, expected);
	});

	test.each<[string, string | Buffer, Expected]>([
		['a text', 'hi', { json: { output: 'hi' } }],
		['JSON as text', '{"a": "hi"}', { json: { output: { a: 'hi' } } }],
		// Its item has no output, so that there is nothing to say about an empty one.
		['a file', picture, { json: {}, inline: [picture] }],
	])('%s (oneCall)', async (_what, body, expected) => {
		await expectArrival('oneCall', body, expected);
	});

	test('cost and seed are without the bytes of files', async () => {
		const metrics = { cost: 0.5, remaining_credits: 9 };
		await expectArrival(
			'model',
			{ image: PICTURE, seed: PICTURE, metrics },
			{ json: { seed: MARK, ...metrics }, inline: [picture, picture] },
		);
	});
});

test('with Simplify off, named outputs of JSON text are also in outputs', async () => {
	const output = JSON.stringify([{ keyname: 'a', value: 'x' }]);
	for (const way of ['workflow', 'workflowById', 'listedWorkflow'] as const) {
		const { json, names } = await arrivalOf(way, { output }, { simplify: false });
		expect(json).toEqual({ output, outputs: { a: 'x' } });
		const known = way === 'workflowById' ? [] : ['workflow'];
		expect(names).toEqual(expect.arrayContaining(['request_id', 'status', ...known]));
	}
});

test('the files of named outputs are called after them', async () => {
	const files = [NAMED, NAMED_2].map(fillIn);
	serve(files);
	const values = ['Front', 'back side'].map((keyname, at) => ({ keyname, value: files[at] }));
	emulator.fault({ on: 'result', do: { body: { status: 'COMPLETED', output: values } } });
	const { items } = succeed(
		await runNode({ node: 'segmindWorkflow', parameters: workflowParams() }),
	);
	expect(Object.values(items[0].binary ?? {}).map(({ fileName }) => fileName)).toEqual([
		expect.stringMatching(/^front-\w{8}\.png$/),
		expect.stringMatching(/^back-side-\w{8}-1\.png$/),
	]);
});

describe('which URLs are fetched', () => {
	const typed = { data: PAGE, type: 'image' };
	const declared = { images: [{ url: PAGE, content_type: 'image/png' }] };

	test.each<[string, Way, IDataObject, Expected]>([
		[
			'a declared type of a workflow',
			'workflow',
			{ output: [{ keyname: 'a', value: typed }] },
			{ json: { url: PAGE, outputs: { a: PAGE } }, fetched: [PAGE] },
		],
		[
			'not if the workflow is a guess, because a model may have written the type [Secrets 2]',
			'listed',
			{ output: [{ keyname: 'a', value: typed }] },
			{ json: { outputs: { a: PAGE } } },
		],
		[
			'not if the type is a text',
			'workflow',
			{ output: [{ keyname: 'a', value: { data: NAMED, type: 'text' } }] },
			{ json: { outputs: { a: NAMED } } },
		],
		...(['url', 'any', 'STRING'] as const).map((type): [string, Way, IDataObject, Expected] => [
			`not if the type is ${type}`,
			'workflow',
			{ output: [{ keyname: 'a', value: { data: type === 'STRING' ? NAMED : PAGE, type } }] },
			{ json: { outputs: { a: type === 'STRING' ? NAMED : PAGE } } },
		]),
		...[
			['http://internal.mp4', 'http://10.0.0.1/?x=.png', 'http://10.0.0.1#b.png'],
			{ images: ['ftp://x.example/a.png', 'file:///a.png', 'javascript:1', null, {}], video: {} },
		].map((output): [string, Way, IDataObject, Expected] => [
			`no address that only looks like a file: ${JSON.stringify(output)}`,
			'modelById',
			{ output, status_url: NAMED } as IDataObject,
			{ json: { output } as IDataObject },
		]),
		[
			'what the service declares in an object',
			'image',
			{ output: declared },
			{ json: { url: PAGE }, fetched: [PAGE] },
		],
		[
			'what the service declares in an object, of a model that is not known',
			'modelById',
			{ output: declared },
			{ json: { url: PAGE }, fetched: [PAGE] },
		],
		[
			'not what a text declares [Secrets 2]',
			'image',
			{ output: JSON.stringify(declared) },
			{ json: { output: declared }, hints: 1 },
		],
		[
			"what in an image model's text has the extension of a file",
			'image',
			{ output: JSON.stringify([NAMED, { page: PAGE }]) },
			{ json: { url: NAMED, output: [NAMED, { page: PAGE }] }, fetched: [NAMED] },
		],
		...[[NAMED, PAGE], `${NAMED}, ${PAGE}`, `${NAMED}\n${PAGE}`, { a: NAMED, b: PAGE }].map(
			(output): [string, Way, IDataObject, Expected] => [
				`an output of nothing but URLs, of an image model: ${JSON.stringify(output)}`,
				'image',
				{ output },
				{ json: { url: NAMED, urls: [NAMED, PAGE] }, fetched: [NAMED, PAGE] },
			],
		),
		[
			'a URL without an extension, of an image model',
			'image',
			{ output: PAGE },
			{ json: { url: PAGE }, fetched: [PAGE] },
		],
		[
			'no URL without an extension, of a model that is not known',
			'modelById',
			{ output: PAGE },
			{ json: { output: PAGE } },
		],
		[
			'an output that is only a URL with the extension of a file, of a model that is not known',
			'modelById',
			{ output: NAMED },
			{ json: { url: NAMED }, fetched: [NAMED] },
		],
		[
			'nothing else in a text of a model that is not known [Secrets 2]',
			'modelById',
			{ output: JSON.stringify([NAMED]) },
			{ json: { output: [NAMED] } },
		],
		[
			'named outputs in a text only of a workflow [Secrets 2]',
			'listed',
			{ output: JSON.stringify([{ keyname: 'a', value: NAMED }]) },
			{ json: { outputs: { a: NAMED } } },
		],
		[
			'no other members beside declared ones',
			'image',
			{ video: PAGE, mask: NAMED },
			{ json: { url: PAGE, output: { video: PAGE, mask: NAMED } }, fetched: [PAGE] },
		],
		[
			'no other members beside inline files',
			'image',
			{ image: PICTURE, mask: NAMED },
			{ json: { output: { image: MARK, mask: NAMED } }, inline: [picture] },
		],
		[
			'nothing that a language model wrote [Secrets 2]',
			'model',
			{ output: { ...openAi(NAMED), citations: [NAMED_2] } },
			{ json: { text: NAMED, output: { ...openAi(NAMED), citations: [NAMED_2] } } },
		],
		[
			'nothing that a language model wrote in one call [Secrets 2]',
			'oneCall',
			{ ...openAi(NAMED), citations: [NAMED_2] },
			{ json: { text: NAMED, output: { ...openAi(NAMED), citations: [NAMED_2] } } },
		],
		[
			'declared members beside a text of a language model',
			'model',
			{ output: openAi(NAMED), video: PAGE },
			{ json: { url: PAGE, text: NAMED }, fetched: [PAGE] },
		],
	])('%s (%s)', async (_what, way, body, expected) => {
		await expectArrival(way, body, expected);
	});

	/** What a language model writes, in each form in which it can arrive. */
	const WRITTEN: Array<IDataObject | string | string[]> = [
		NAMED,
		{ answer: 'hi', source: NAMED },
		{ images: [{ url: PAGE, content_type: 'image/png' }] },
		[NAMED, PAGE],
	];
	const asText = (written: unknown) =>
		typeof written === 'string' ? written : JSON.stringify(written);

	test.each(WRITTEN.flatMap((written) => [[written], [asText(written)]]))(
		'no URL in the words of a language model or a transcript: %j [Secrets 2]',
		async (written) => {
			for (const way of ['model', 'transcribe', 'asJson', 'oneCall'] as const) {
				const { fetched, files } = await arrivalOf(way, { output: fillIn(written) });
				expect([way, fetched, files]).toEqual([way, [], []]);
			}
			const { fetched, files } = await arrivalOf('oneCall', fillIn(asText(written)));
			expect([fetched, files]).toEqual([[], []]);
		},
	);

	test.each([
		['image', 'gpt-5.4', false],
		['text', 'nano-banana-pro', true],
		['text', UNKNOWN_MODEL, false],
		['image', UNKNOWN_MODEL, true],
	])(
		'the kind of the model decides, or else of the task: %s with %s [Secrets 2]',
		async (resource, slug, isFetched) => {
			serve([NAMED].map(fillIn));
			emulator.fault({ on: 'v1', do: { body: { output: fillIn({ source: NAMED }) } } });
			const task = { resource, operation: 'generate', model: model(slug) };
			const parameters = runParams(task, { answerInOneCall: true });
			const { items } = succeed(await runNode({ parameters }));
			expect(items[0].binary !== undefined).toBe(isFetched);
		},
	);

	test.each<[string, Way, IDataObject, Expected]>([
		[
			'JSON that is declared as a text, of an image model',
			'imageInOneCall',
			{ video: PAGE },
			{ json: { url: PAGE }, fetched: [PAGE] },
		],
		[
			'no JSON that is declared as a text, of a model that is not known [Secrets 2]',
			'unknownInOneCall',
			{ video: PAGE, mask: NAMED },
			{ json: { output: { video: PAGE, mask: NAMED } } },
		],
	])('%s (%s)', async (_what, way, body, expected) => {
		await expectArrival(way, JSON.stringify(fillIn(body)), expected);
	});

	test.each(['modelById', 'listed'] as const)('all that the history lists (%s)', async (way) => {
		const urls = [PAGE, NAMED].map(fillIn);
		serve(urls);
		const { json, fetched, files } = await arrivalFromHistory(way, urls);
		expect(json).toEqual({ url: urls[0], urls });
		expect(fetched).toEqual(isListedWay(way) ? [] : urls);
		expect(files).toEqual(fetched.map(fileAt));
	});
});

test('a random result of any shape, in any way', async () => {
	const presented = fc.record({ simplify: fc.boolean(), downloads: fc.boolean() });
	await fc.assert(
		fc.asyncProperty(shapes, fc.constantFrom(...WAYS), presented, async (tagged, way, shown) => {
			const shape = filled(tagged, urlOf);
			const files = fileUrlsIn(shape, way);
			serve(files);
			const arrival = await arrivalOf(way, responseOf(shape), shown);
			// The tasks of language models have no option to turn downloads off, and the trigger downloads nothing.
			const downloads = (shown.downloads || way === 'asJson') && !isListedWay(way);
			expectFiles(arrival, shape, downloads ? files : []);
			expect(arrival.hints).toHaveLength(countHints(shape, way));
			if (shown.simplify) expectSimple(arrival, shape, files);
			else expect(without(arrival.json, ADDED)).toEqual(wholeOf(shape));
		}),
		{ numRuns: 100, seed: 1 },
	);
});

function expectFiles({ json, files, fetched }: Arrival, shape: Shape, expected: string[]): void {
	expect([...fetched].sort()).toEqual([...expected].sort());
	expect(files).toEqual([...picturesIn(shape), ...fetched.map(fileAt)]);
	expect(JSON.stringify(json)).not.toContain(PICTURE_START);
}

/** Expects that every value of the result is in the item, its files in the order in which they were fetched. */
function expectSimple({ json, names, fetched }: Arrival, shape: Shape, files: string[]): void {
	const { url, urls = url === undefined ? [] : [url] } = json as { url?: string; urls?: string[] };
	expect([...urls].sort()).toEqual([...files].sort());
	if (fetched.length > 0) expect(fetched).toEqual(urls);
	const kept = new Set(valuesIn(json));
	const paidFor = textsOf(shape.body, 'paid', 'named', 'page', 'declared', 'typed');
	expect(paidFor.filter((text) => !kept.has(text))).toEqual([]);
	expect(names).toEqual(ORDER.filter((name) => names.includes(name)));
}

/** Returns the values in a value that are neither lists nor objects. */
function valuesIn(value: unknown): unknown[] {
	if (typeof value !== 'object' || value === null) return [value];
	return Object.values(value).flatMap(valuesIn);
}

/** Returns a body without the names of its outputs. */
function withoutNames(body: Shape['body']): unknown {
	return JSON.parse(JSON.stringify(body, (key, value) => (key === 'keyname' ? undefined : value)));
}

/** The number of hints: about a text that was cut, an answer that isn't JSON, or a result that has nothing. */
function countHints(shape: Shape, way: Way): number {
	if (isListedWay(way)) return 0;
	const isCut = !isWorkflowWay(way) && JSON.stringify(shape.body).includes('"length"');
	// A name that a workflow gives to an output isn't a value of it.
	const isNamed = isWorkflowWay(way) && shape.kind === 'namedOutputs';
	const isEmpty = valuesIn(isNamed ? withoutNames(shape.body) : shape.body).length === 0;
	return [isCut, isEmpty || way === 'asJson'].filter(Boolean).length;
}
