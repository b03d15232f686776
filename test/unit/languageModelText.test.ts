/** Which text and usage are found in a language model's output, in the format of any provider. */
import { languageModelText, tokenUsage } from '../../nodes/shared/output/languageModelText';

it.each<[string, string | undefined]>([
	['{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": {}}', 'Hi'],
	['{"choices": [{"message": {"content": [{"text": "a"}, {"text": "b"}]}}]}', 'ab'],
	['{"choices": [{"text": "Hi"}]}', 'Hi'],
	['{"choices": [{"message": {"content": "1"}}, {"message": {"content": "2"}}]}', '1'],
	['{"choices": [{"message": {"content": ""}}]}', ''],
	[
		'{"content": [{"type": "text", "text": "Hel"}, {"id": 1}, {"type": "text", "text": "lo"}]}',
		'Hello',
	],
	['{"candidates": [{"content": {"parts": [{"text": "Hi"}], "role": "model"}}]}', 'Hi'],
	[
		'{"candidates": [{"content": {"parts": [{"text": "hm", "thought": true}, {"text": "Hi"}]}}]}',
		'Hi',
	],
	['[{"message": {"content": "Hi"}}]', undefined],
	['{"choices": [null]}', undefined],
	['{"choices": [{"message": {"content": null}}]}', undefined],
	['{"content": "Hi"}', undefined],
	['{"content": [{"type": "image"}]}', undefined],
	['{"candidates": [{"finishReason": "SAFETY"}]}', undefined],
	['{"status": "Success", "video": "x", "text": "caption"}', undefined],
])('the text in %s is %p', (output, text) => {
	expect(languageModelText(JSON.parse(output))).toBe(text);
});

it.each<[unknown, unknown]>([
	[{ choices: [], usage: { total_tokens: 9 } }, { total_tokens: 9 }],
	[{ candidates: [], usageMetadata: { totalTokenCount: 9 } }, { totalTokenCount: 9 }],
	[{ choices: [] }, undefined],
	[{ usage: 'many', usageMetadata: null }, undefined],
	['text', undefined],
])('the usage in %j is %j', (output, usage) => {
	expect(tokenUsage(output)).toEqual(usage);
});
