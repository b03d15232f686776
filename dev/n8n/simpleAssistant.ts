import type { ModelCall, OfferedTool } from './chatApi';
import type { Turn } from './scriptedModel';

/** Patterns of questions, and of the names of the tools for them. A tool whose name matches no row is for all other questions. */
const TASKS: Array<[question: RegExp, tool: RegExp]> = [
	[/\b(animat\w*|videos?|films?|clips?|movies?)\b/i, /animat|video|film|clip/i],
	[/\b(edit|change|remove|replace|add|turn|give it|make it)\b/i, /edit|change|remove|replace/i],
];

/** Names of tool parameters that get the question. */
const PROMPT = /prompt|question|query|text/i;
/** Names of tool parameters that get the URL of a file. */
const FILE = /image|picture|frame|url|file/i;
const URLS = /https?:\/\/[^\s"\\]+/g;

/**
 * Stands in for a chat model. Chooses a tool by the words of the question, calls it with the question and the last URL of the conversation, and
 * replies with what the tool returned.
 */
export function simpleAssistant({ messages, tools }: ModelCall): Turn {
	const last = messages.at(-1);
	if (last?.role === 'tool') {
		const urls = [...new Set(last.text.match(URLS))];
		return urls.length > 0
			? `Here it is:\n\n${urls.map(toMarkdown).join('\n')}`
			: `The tool returned: ${last.text}`;
	}
	const question = messages.filter(({ role }) => role === 'user').at(-1)?.text ?? '';
	const tool = toolFor(question, tools);
	if (tool === undefined)
		return "This isn't a chat model, only a script that calls the agent's tools.";
	const url = messages.flatMap(({ text }) => text.match(URLS) ?? []).at(-1) ?? '';
	const valueOf = (name: string): string => {
		if (PROMPT.test(name)) return withoutUrlLines(question);
		return FILE.test(name) ? url : '';
	};
	const names = Object.keys(tool.schema.properties);
	return { call: tool.name, with: Object.fromEntries(names.map((name) => [name, valueOf(name)])) };
}

/** Returns Markdown that makes n8n's chat show a picture, or the bare URL of anything else. */
const toMarkdown = (url: string): string =>
	/\.(png|jpe?g|webp|gif)$/i.test(url) ? `![picture](${url}) ${url}` : url;

function toolFor(question: string, tools: OfferedTool[]): OfferedTool | undefined {
	const [, toolPattern] = TASKS.find(([pattern]) => pattern.test(question)) ?? [];
	return (
		tools.find(({ name }) => toolPattern?.test(name)) ??
		tools.find(({ name }) => !TASKS.some(([, pattern]) => pattern.test(name))) ??
		tools[0]
	);
}

/** Returns the question without the lines that contain URLs, or the whole question if nothing would be left. */
const withoutUrlLines = (question: string): string =>
	question
		.split('\n')
		.filter((line) => !line.match(URLS))
		.join('\n')
		.trim() || question;
