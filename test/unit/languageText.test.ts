import fc from 'fast-check';

import { languageText, languageUsage } from '../../nodes/shared/output/languageText';

describe('the text of a language model', () => {
	it.each<[string, unknown, string]>([
		[
			'OpenAI',
			{
				choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
				usage: {},
			},
			'Hi',
		],
		[
			'OpenAI, content in parts',
			{
				choices: [
					{
						message: {
							content: [
								{ type: 'text', text: 'a' },
								{ type: 'text', text: 'b' },
							],
						},
					},
				],
			},
			'ab',
		],
		['OpenAI, old completion', { choices: [{ text: 'Hi' }] }, 'Hi'],
		[
			'OpenAI, several choices',
			{ choices: [{ message: { content: '1' } }, { message: { content: '2' } }] },
			'1',
		],
		['OpenAI, empty answer', { choices: [{ message: { content: '' } }] }, ''],
		[
			'Anthropic',
			{
				content: [
					{ type: 'text', text: 'Hel' },
					{ type: 'tool_use', id: 1 },
					{ type: 'text', text: 'lo' },
				],
				stop_reason: 'end_turn',
			},
			'Hello',
		],
		[
			'Gemini',
			{ candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' } }], usageMetadata: {} },
			'Hi',
		],
		[
			'Gemini, with its thoughts',
			{ candidates: [{ content: { parts: [{ text: 'hmm', thought: true }, { text: 'Hi' }] } }] },
			'Hi',
		],
	])('%s', (_, output, text) => {
		expect(languageText(output)).toBe(text);
	});

	it.each<[unknown]>([
		[null],
		['Hi'],
		[[{ message: { content: 'Hi' } }]],
		[{}],
		[{ choices: [] }],
		[{ choices: [null] }],
		[{ choices: [{ message: { content: null } }] }],
		[{ choices: {} }],
		[{ content: 'Hi' }],
		[{ content: [] }],
		[{ content: [{ type: 'image' }] }],
		[{ candidates: [{ finishReason: 'SAFETY' }] }],
		[{ candidates: [{ content: {} }] }],
		[{ image: 'https://images.segmind.com/a.png' }],
		[{ status: 'Success', video: 'x', text: 'caption' }],
	])('is none in %j', (output) => {
		expect(languageText(output)).toBeUndefined();
	});

	it('is text or none, whatever the answer', () => {
		const { value } = fc.letrec((tie) => ({
			value: fc.oneof(
				{ maxDepth: 6 },
				fc.jsonValue({ maxDepth: 1 }),
				fc.array(tie('value'), { maxLength: 2 }),
				fc.dictionary(
					fc.constantFrom('choices', 'message', 'content', 'text', 'candidates', 'parts'),
					tie('value'),
					{ maxKeys: 3 },
				),
			),
		}));
		fc.assert(
			fc.property(value, (output) => {
				expect(['string', 'undefined']).toContain(typeof languageText(output));
			}),
			{ numRuns: 1_000, seed: 1 },
		);
	});
});

describe('the usage of a language model', () => {
	const counts = { prompt_tokens: 3, total_tokens: 9 };

	it.each<[string, unknown, unknown]>([
		['OpenAI and Anthropic', { choices: [], usage: counts }, counts],
		['Gemini', { candidates: [], usageMetadata: { totalTokenCount: 9 } }, { totalTokenCount: 9 }],
		['none', { choices: [] }, undefined],
		['no counts', { usage: 'many', usageMetadata: null }, undefined],
		['no object', 'text', undefined],
	])('%s', (_, output, usage) => {
		expect(languageUsage(output)).toEqual(usage);
	});
});
