/** Text: Generate takes earlier messages as rows and as lists of other nodes. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { model, runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

const ask = (rows: IDataObject[], more: INodeParameters = {}) =>
	runParams(
		{
			resource: 'text',
			operation: 'generate',
			prompt: 'So?',
			model: model('gpt-5.4-mini'),
			...more,
		},
		{ conversation: { values: rows } },
	);
const asList = (list: string) => ({ defineAs: 'list', list });
const body = () => emulator.callsOf('submit').at(-1)?.body as IDataObject;

const HI = { role: 'user', content: 'Hi' };
const HELLO = { role: 'assistant', content: 'Hello' };
const PROMPT = { role: 'user', content: 'So?' };

const MEMORY = [{ human: 'Hi', ai: 'Hello' }];
test.each<[string, unknown]>([
	['messages with roles', [HI, HELLO]],
	['messages with roles of n8n and other members', [{ ...HI, role: 'human', id: 7 }, HELLO]],
	['exchanges of Chat Memory Manager', MEMORY],
	['an item of Chat Memory Manager', { messages: MEMORY, messagesCount: 1 }],
	['single messages of each role', [{ human: 'Hi' }, { ai: 'Hello' }]],
	['what tools returned, which is left out', [{ human: 'Hi', ai: '', tool: { a: 1 } }, HELLO]],
	['blank messages, which are left out', [HI, { role: 'assistant', content: null }, HELLO]],
])('a list takes %s, as a value or as JSON text', async (_what, list) => {
	for (const json of [{ list }, { list: JSON.stringify(list) }]) {
		succeed(
			await runNode({ parameters: ask([asList('={{ $json.list }}')]), items: [{ json }] as never }),
		);
		expect(body()).toEqual({ messages: [HI, HELLO, PROMPT] });
	}
});

test('an exchange that the model began keeps its order', async () => {
	succeed(await runNode({ parameters: ask([asList('[{"ai":"Hello","human":"Hi"}]')]) }));
	expect(body()).toEqual({ messages: [HELLO, HI, PROMPT] });
});

test('an empty list sends only the prompt, like no conversation', async () => {
	succeed(await runNode({ parameters: ask([asList('={{ [] }}')]) }));
	expect(body()).toEqual({ messages: [PROMPT] });
});

test('rows and lists are sent in their order; rows without Define As are messages', async () => {
	const rows = [
		{ role: 'user', message: 'Hi' },
		asList(JSON.stringify([HELLO])),
		{ message: 'Hm' },
	];
	succeed(await runNode({ parameters: ask(rows) }));
	expect(body()).toEqual({ messages: [HI, HELLO, { role: 'user', content: 'Hm' }, PROMPT] });
});

// analyze.test.ts has what each family of models gets.
test('system messages of a list follow the system prompt', async () => {
	const list = [asList('[{"system":"B.","human":"Hi"}]')];
	succeed(await runNode({ parameters: ask(list, { systemPrompt: 'A.' }) }));
	expect(body()).toEqual({ messages: [{ role: 'system', content: 'A.\n\nB.' }, HI, PROMPT] });
});

test.each<[string, unknown, string]>([
	['no list', 'Hi', 'Row 1'],
	['null', null, 'Row 1'],
	['an object without messages', { text: 'Hi' }, 'Row 1'],
	['an entry that is a text', [HI, 'Hello'], 'Message 2 in Row 1'],
	['an entry of another form', [HI, { type: 'constructor', text: 'x' }], 'Message 2 in Row 1'],
	[
		'a message whose text has another name',
		[HI, { role: 'user', message: 'x' }],
		'Message 2 in Row 1',
	],
	['an unknown role', [HI, { role: 'narrator', content: 'x' }], 'Message 2 in Row 1'],
	['a role that is no text', [{ role: { a: 1 }, content: 'x' }], 'Message 1 in Row 1'],
	[
		'a content that is no text',
		[{ human: 'Hi', ai: [{ type: 'image_url' }] }],
		'Message 1 in Row 1',
	],
	['a list that is too long', Array.from({ length: 1_001 }, () => HI), 'Row 1'],
])('%s fails before anything is sent, and the error names it', async (_what, list, name) => {
	const parameters = ask([asList('={{ $json.list }}')]);
	const { failed } = await runNode({ parameters, items: [{ json: { list } }] as never });
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(name) }]);
	expect(emulator.calls).toEqual([]);
});

test('a list whose expression is undefined fails before anything is sent', async () => {
	const { failed } = await runNode({ parameters: ask([asList('={{ $json.none }}')]) });
	expect(failed).toMatchObject([{ kind: 'badInput' }]);
	expect(emulator.calls).toEqual([]);
});
