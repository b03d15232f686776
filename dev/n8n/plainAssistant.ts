import type { Heard, OfferedTool } from './chatApis';
import type { Turn } from './scriptedModel';

/** Words of a question, and the names of fitting tools. A tool that fits no row is for all other questions. */
const TASKS: Array<[asked: RegExp, tool: RegExp]> = [
	[/\b(animat\w*|videos?|films?|clips?|movies?)\b/i, /animat|video|film|clip/i],
	[/\b(edit|change|remove|replace|add|turn|give it|make it)\b/i, /edit|change|remove|replace/i],
];

/** Names of a tool's parameters for the question, and for the URL of a file. */
const PROMPT = /prompt|question|query|text/i;
const FILE = /image|picture|frame|url|file/i;
const URLS = /https?:\/\/[^\s"\\]+/g;

/**
 * Stands in for a chat model where a recipe has to run without one. It chooses a tool by the words of the question, gives it the question
 * and the last URL of the conversation, and tells the user what the tool returned.
 */
export function plainAssistant({ messages, tools }: Heard): Turn {
	const last = messages.at(-1);
	if (last?.role === 'tool') {
		const urls = last.text.match(URLS);
		return urls
			? `Here it is:\n\n${urls.map(shownInChat).join('\n')}`
			: `The tool returned: ${last.text}`;
	}
	const asked = messages.filter(({ role }) => role === 'user').at(-1)?.text ?? '';
	const tool = toolFor(asked, tools);
	if (tool === undefined)
		return "This isn't a chat model, only a script that calls the agent's tools.";
	const url = messages.flatMap(({ text }) => text.match(URLS) ?? []).at(-1) ?? '';
	const valueOf = (name: string): string => {
		if (PROMPT.test(name)) return wordsOf(asked);
		return FILE.test(name) ? url : '';
	};
	const names = Object.keys(tool.schema.properties);
	return { call: tool.name, with: Object.fromEntries(names.map((name) => [name, valueOf(name)])) };
}

/** A picture as Markdown, which n8n's chat shows; anything else as a link. */
const shownInChat = (url: string): string =>
	/\.(png|jpe?g|webp|gif)$/i.test(url) ? `![picture](${url}) ${url}` : url;

function toolFor(asked: string, tools: OfferedTool[]): OfferedTool | undefined {
	const [, forTask] = TASKS.find(([words]) => words.test(asked)) ?? [];
	return (
		tools.find(({ name }) => forTask?.test(name)) ??
		tools.find(({ name }) => !TASKS.some(([, names]) => names.test(name))) ??
		tools[0]
	);
}

/** The question without the lines that only bring URLs along. */
const wordsOf = (asked: string): string =>
	asked
		.split('\n')
		.filter((line) => !line.match(URLS))
		.join('\n')
		.trim() || asked;
