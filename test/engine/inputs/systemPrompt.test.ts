/** Text: Generate sends the system prompt in the format of each model. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { loadForm, useForms } from '../../helpers/forms';
import { rows, textRow } from '../../helpers/inference';
import { storedForm } from '../../helpers/modelForm';

const { serveList, runWithForm } = useForms();

const TEXT = { resource: 'text', operation: 'generate' };
const SYSTEM = { role: 'system', content: 'Be brief.' };
const USER = { role: 'user', content: 'Hello' };
const CLAUDE = { instruction: 'Be brief.', messages: [USER] };
const GEMINI = {
	messages: {
		system_instruction: { parts: { text: 'Be brief.' } },
		contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
	},
};
const BOTH = 'Be brief.\n\nHello';

async function sendText(slug: string, more: INodeParameters = {}, stored?: IDataObject) {
	return await runWithForm(slug, stored, {
		...TEXT,
		prompt: 'Hello',
		systemPrompt: 'Be brief.',
		...more,
	});
}

test.each<[string, IDataObject, boolean]>([
	['gpt-5.4-mini', { messages: [SYSTEM, USER] }, false],
	['o3', { messages: [SYSTEM, USER] }, false],
	['deepseek-chat', { messages: [SYSTEM, USER] }, false],
	['llama-v3-8b-instruct', { messages: [SYSTEM, USER] }, false],
	['grok-9-new', { messages: [SYSTEM, USER] }, false],
	['mixtral-8x22b-instruct', { messages: [SYSTEM, USER] }, false],
	['claude-4.5-sonnet', CLAUDE, false],
	['claude-9-new', CLAUDE, false],
	['gemini-2.5-flash', GEMINI, false],
	['nobody-knows-1', { prompt: BOTH }, true],
	['gpt-image-2', { prompt: BOTH }, true],
	['grok-tts', { text: BOTH }, true],
	['dia', { text: BOTH }, true],
])('%s gets the body %j', async (slug, body, isHinted) => {
	const result = await sendText(slug);
	expect(result.body).toEqual(body);
	expect(result.hints.some((hint) => hint.includes(`'${slug}'`))).toBe(isHinted);
});

const CONTENTS = { messages: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] } };
const ANY_MODEL = { resource: 'model', operation: 'run' };
test.each<[string, IDataObject, INodeParameters?]>([
	['gpt-5.4-mini', { messages: [USER] }],
	['gpt-5.4-mini', { messages: [USER] }, ANY_MODEL],
	['claude-4.5-sonnet', { messages: [USER] }],
	['claude-9-new', { messages: [USER] }, ANY_MODEL],
	['llama4-scout-instruct-basic', { messages: [USER] }],
	['gemini-2.5-flash', CONTENTS],
	['gemini-2.5-flash', CONTENTS, ANY_MODEL],
	['nobody-knows-1', { prompt: 'Hello' }],
	['gemini-embedding-001', { prompt: 'Hello' }],
	['gemini-omni-flash', { prompt: 'Hello' }, ANY_MODEL],
	['qwen-image', { prompt: 'Hello' }, ANY_MODEL],
	['grok-imagine-image-2', { prompt: 'Hello' }, ANY_MODEL],
])('without a system prompt, %s gets the body %j', async (slug, body, more = {}) => {
	expect((await sendText(slug, { systemPrompt: '', ...more })).body).toEqual(body);
});

test('under Any Model, a form without messages shows that a model only has the name of a family', async () => {
	const { url } = await serveList([
		{ slug: 'qwen-sketch', parameters: { prompt: { type: 'str' }, size: { type: 'str' } } },
	]);
	const { fields } = await loadForm(url, 'qwen-sketch');
	const more = { systemPrompt: '', ...ANY_MODEL };
	const { body } = await sendText('qwen-sketch', more, storedForm(fields, {}));
	expect(body).toEqual({ prompt: 'Hello' });
});

test('a model that only the list has gets the system prompt as its instruction, also in a process that never read the list', async () => {
	const parameters = { instruction: { type: 'str' }, text: { type: 'str', isRequired: true } };
	const { url } = await serveList([{ slug: 'talker-1', parameters }]);
	const { fields } = await loadForm(url, 'talker-1');
	const { body } = await sendText('talker-1', {}, storedForm(fields, {}));
	expect(body).toEqual({ instruction: 'Be brief.', text: 'Hello' });
});

const messages = { name: 'messages', type: 'json', jsonValue: '[{"role":"user","content":"x"}]' };
const additionalParameters = rows(messages);
test.each<[string, INodeParameters]>([
	['gpt-5.4-mini', { additionalParameters, prompt: '' }],
	['claude-4.5-sonnet', { additionalParameters, prompt: '' }],
	['claude-4.5-sonnet', { additionalParameters }],
	['gemini-2.5-flash', { additionalParameters }],
	['nobody-knows-1', { additionalParameters, prompt: '' }],
	['claude-4.5-sonnet', { additionalParameters: rows(textRow('instruction', 'x')) }],
	['gpt-5.4-mini', { additionalParameters: rows(textRow('prompt', 'x')) }],
])('%s: a system prompt next to %j fails before any call', async (slug, more) => {
	const { error, body } = await sendText(slug, more);
	expect(error).toBeDefined();
	expect(body).toBeUndefined();
});

test.each<[string, string, INodeParameters]>([
	['a language model', 'gpt-5.4-mini', { systemPrompt: '' }],
	['a language model beside a system prompt', 'gpt-5.4-mini', {}],
	['an unknown model beside a system prompt', 'nobody-knows-1', {}],
	['a model that requires one', 'nano-banana', { resource: 'image', systemPrompt: '' }],
])('a blank prompt of %s fails before any call', async (_what, slug, more) => {
	const { error, body } = await sendText(slug, { prompt: ' \n ', ...more });
	expect(error).toBeDefined();
	expect(body).toBeUndefined();
});

test.each<[string, INodeParameters, IDataObject]>([
	['an empty system prompt', { systemPrompt: '' }, { messages: [USER] }],
	['a blank system prompt', { systemPrompt: ' \n' }, { messages: [USER] }],
	['a system prompt that is null', { systemPrompt: '={{ null }}' }, { messages: [USER] }],
	[
		"the user's own messages",
		{ additionalParameters, prompt: '', systemPrompt: '' },
		{ messages: [{ role: 'user', content: 'x' }] },
	],
])('sends the right body with %s', async (_what, more, body) => {
	expect((await sendText('gpt-5.4-mini', more)).body).toEqual(body);
});

test('sends the same body when an agent calls it', async () => {
	const parameters = { ...TEXT, prompt: 'Hello', systemPrompt: 'Be brief.' };
	const { body } = await runWithForm('gpt-5.4-mini', undefined, parameters, undefined, true);
	expect(body).toEqual({ messages: [SYSTEM, USER] });
});
