import type { Heard } from './chatApis';
import type { Turn } from './scriptedModel';

/** The parameter of a tool that takes what was asked for. */
const PROMPT = /prompt|question|query|text/i;

/**
 * Stands in for a chat model where an example is to run without one: hands the question to its first tool as it is, and what the tool
 * answers to the user. It understands nothing.
 */
export function plainAssistant({ messages, tools: [tool] }: Heard): Turn {
	const last = messages.at(-1);
	if (last?.role === 'tool') {
		const urls = last.text.match(/https?:\/\/[^\s"\\]+/g);
		return urls ? `Here it is: ${urls.join(' ')}` : `The tool answered: ${last.text}`;
	}
	if (tool === undefined)
		return 'There is no chat model here, only a script that calls the first tool of the agent.';
	const question = messages.filter(({ role }) => role === 'user').at(-1)?.text ?? '';
	return {
		call: tool.name,
		with: Object.fromEntries(
			Object.keys(tool.schema.properties).map((name) => [name, PROMPT.test(name) ? question : '']),
		),
	};
}
