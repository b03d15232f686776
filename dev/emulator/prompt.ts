/** Returns the prompt of a job, whatever its name in the input, or the last message; never an empty string. */
export function promptOf(input: Record<string, unknown>): string {
	for (const name of ['prompt', 'text', 'promptText', 'script', 'story', 'genres']) {
		const value = input[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	return lastMessage(input.messages) ?? 'untitled';
}

/** `messages` is a list of {role, content}, or Gemini's older object {system_instruction, contents[]} (docs/service.md S138, S139). */
function lastMessage(messages: unknown): string | undefined {
	const list = Array.isArray(messages)
		? messages
		: isRecord(messages)
			? messages.contents
			: undefined;
	const last: unknown = Array.isArray(list) ? list[list.length - 1] : undefined;
	if (!isRecord(last)) return undefined;
	const content = last.content ?? last.parts;
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return undefined;
	const texts = content.map((part: unknown) =>
		isRecord(part) && typeof part.text === 'string' ? part.text : '',
	);
	return texts.filter(Boolean).join(' ') || undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
