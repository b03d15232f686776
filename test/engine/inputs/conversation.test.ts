/** Text: Generate takes earlier messages as rows and as lists of other nodes. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { model, runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

const ask = (conversation: IDataObject, more: INodeParameters = {}) =>
	runParams(
		{
			resource: 'text',
			operation: 'generate',
			prompt: 'So?',
			model: model('gpt-5.4-mini'),
			...more,
		},
		{ conversation: { values: conversation } },
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
			await runNode({ parameters: ask(asList('={{ $json.list }}')), items: [{ json }] as never }),
		);
		expect(body()).toEqual({ messages: [HI, HELLO, PROMPT] });
	}
});

test('an exchange that the model began keeps its order', async () => {
	succeed(await runNode({ parameters: ask(asList('[{"ai":"Hello","human":"Hi"}]')) }));
	expect(body()).toEqual({ messages: [HELLO, HI, PROMPT] });
});

test('rows are messages, also without Define As, and blank ones are left out', async () => {
	const values = [{ role: 'user', message: 'Hi' }, { message: ' ' }, { message: 'Hm' }];
	succeed(await runNode({ parameters: ask({ rows: { values } }) }));
	expect(body()).toEqual({ messages: [HI, { role: 'user', content: 'Hm' }, PROMPT] });
});

test.each([{ defineAs: 'rows' }, asList('={{ [] }}')])(
	'%j sends only the prompt, like no conversation',
	async (empty) => {
		succeed(await runNode({ parameters: ask(empty) }));
		expect(body()).toEqual({ messages: [PROMPT] });
	},
);

// analyze.test.ts has what each family of models gets.
test('system messages of a list follow the system prompt', async () => {
	const list = asList('[{"system":"B.","human":"Hi"}]');
	succeed(await runNode({ parameters: ask(list, { systemPrompt: 'A.' }) }));
	expect(body()).toEqual({ messages: [{ role: 'system', content: 'A.\n\nB.' }, HI, PROMPT] });
});

test.each<[string, unknown, string]>([
	['no list', 'Hi', 'Conversation'],
	['null', null, 'Conversation'],
	['an object without messages', { text: 'Hi' }, 'Conversation'],
	['an entry that is a text', [HI, 'Hello'], 'Message 2 in Conversation'],
	[
		'an entry of another form',
		[HI, { type: 'constructor', text: 'x' }],
		'Message 2 in Conversation',
	],
	[
		'a message whose text has another name',
		[HI, { role: 'user', message: 'x' }],
		'Message 2 in Conversation',
	],
	['an unknown role', [HI, { role: 'narrator', content: 'x' }], 'Message 2 in Conversation'],
	['a role that is no text', [{ role: { a: 1 }, content: 'x' }], 'Message 1 in Conversation'],
	[
		'a content that is no text',
		[{ human: 'Hi', ai: [{ type: 'image_url' }] }],
		'Message 1 in Conversation',
	],
	['a list that is too long', Array.from({ length: 1_001 }, () => HI), 'Conversation'],
])('%s fails before anything is sent, and the error names it', async (_what, list, name) => {
	const parameters = ask(asList('={{ $json.list }}'));
	const { failed } = await runNode({ parameters, items: [{ json: { list } }] as never });
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(name) }]);
	expect(emulator.calls).toEqual([]);
});
