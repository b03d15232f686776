/** Which text is found in a language model's response, in the format of any provider, and when the response is nothing more. */
import { ENVELOPE, readChatResponse } from '../../nodes/shared/output/chatResponse';
import { isAnythingLeft } from '../../nodes/shared/output/remainder';

it.each<[string, string[] | undefined]>([
	['{"choices": [{"message": {"content": "Hi"}}]}', ['Hi']],
	['{"choices": [{"message": {"content": [{"text": "a"}, {"text": "b"}]}}]}', ['a', 'b']],
	['{"choices": [{"message": {"content": "1"}}, {"message": {"content": "2"}}]}', ['1']],
	['{"choices": [{"message": {"content": ""}}]}', ['']],
	['{"content": [{"text": "Hel"}, {"id": 1}, {"text": "lo"}]}', ['Hel', 'lo']],
	['{"candidates": [{"content": {"parts": [{"text": "Hi"}], "role": "model"}}]}', ['Hi']],
	[
		'{"candidates": [{"content": {"parts": [{"text": "hm", "thought": true}, {"text": "Hi"}]}}]}',
		['Hi'],
	],
	['[{"message": {"content": "Hi"}}]', undefined],
	['{"choices": [null]}', undefined],
	['{"choices": [{"message": {"content": null}}]}', undefined],
	['{"choices": [{"text": "Hi"}]}', undefined],
	['{"content": "Hi"}', undefined],
	['{"content": [{"type": "image"}]}', undefined],
	['{"candidates": [{"finishReason": "SAFETY"}]}', undefined],
	['{"status": "Success", "video": "x", "text": "caption"}', undefined],
	['"text"', undefined],
])('the text in %s is %p', (response, texts) => {
	expect(readChatResponse(JSON.parse(response))?.texts).toEqual(texts);
});

it.each<[unknown, unknown]>([
	[{ usage: { total_tokens: 9 } }, { total_tokens: 9 }],
	[{ usageMetadata: { totalTokenCount: 9 } }, { totalTokenCount: 9 }],
	[{ usage: 'many', usageMetadata: null }, undefined],
])('the usage in %j is %j', (members, usage) => {
	const response = { choices: [{ message: { content: 'Hi' } }], ...(members as object) };
	expect(readChatResponse(response)).toEqual({ texts: ['Hi'], usage });
});

it.each<[string, boolean]>([
	['{"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": {}}]}', true],
	['{"type": "message", "role": "assistant", "content": [{"type": "text"}], "usage": {}}', true],
	['{"candidates": [{"content": {"parts": [{"thoughtSignature": "a"}]}}]}', true],
	['{"choices": [{"message": {"id": "a"}}]}', false],
	['{"choices": ["a"]}', false],
	['{"content": [{"type": "table", "rows": [1]}]}', false],
	['{"constructor": 1}', false],
	['"text"', false],
])('%s is nothing more than an envelope: %p', (response, is) => {
	const held = { files: new Set<string>(), texts: new Set<string>() };
	expect(isAnythingLeft(JSON.parse(response), held, ENVELOPE)).toBe(!is);
});
