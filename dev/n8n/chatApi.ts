/** OpenAI's chat completions, as far as n8n's OpenAI Chat Model node uses them. */

/** A tool that was offered to the model. */
export interface OfferedTool {
	name: string;
	description: string;
	/** JSON schema of its arguments. */
	schema: {
		properties: Record<string, { type?: string; description?: string }>;
		required?: string[];
	};
}

export interface ToolCall {
	id: string;
	name: string;
	args: Record<string, unknown>;
}

interface ChatMessage {
	role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
	text: string;
	/** The tools that the assistant calls. */
	calls: ToolCall[];
	/** The ID of the call that a tool's message responds to. */
	callId?: string;
}

/** The content of one call to the model. */
export interface ModelCall {
	messages: ChatMessage[];
	tools: OfferedTool[];
}

/** What the model replies: text, or calls of tools. */
export type ModelReply = string | ToolCall[];

interface WireMessage {
	role: ChatMessage['role'];
	content?: unknown;
	tool_calls?: Array<{ id: string; function: { name: string; arguments: string } }>;
	tool_call_id?: string;
}
interface WireTool {
	function: { name: string; description: string; parameters: OfferedTool['schema'] };
}

/** The body of a call to the model. */
export interface CompletionBody {
	model: string;
	stream?: boolean;
	messages: WireMessage[];
	tools?: WireTool[];
}

/** @throws TypeError when the body has another shape */
export function readCall({ messages, tools = [] }: CompletionBody): ModelCall {
	return {
		messages: messages.map(({ role, content, tool_calls = [], tool_call_id: callId }) => ({
			role,
			text: textOf(content),
			calls: tool_calls.map(({ id, function: { name, arguments: args } }) => ({
				id,
				name,
				args: JSON.parse(args) as ToolCall['args'],
			})),
			...(callId !== undefined && { callId }),
		})),
		tools: tools.map(({ function: { name, description, parameters: schema } }) => ({
			name,
			description,
			schema,
		})),
	};
}

export function completionOf(model: string, reply: ModelReply): object {
	return {
		...commonMembers(model, 'chat.completion'),
		choices: [{ index: 0, finish_reason: finishReasonOf(reply), message: messageOf(reply) }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

/** Returns the reply as a stream, which agents before version 3 need: the data of the server-sent events, without the `[DONE]` at the end. */
export function chunksOf(model: string, reply: ModelReply): object[] {
	const chunk = (delta: object, finish_reason: string | null) => ({
		...commonMembers(model, 'chat.completion.chunk'),
		choices: [{ index: 0, delta, finish_reason }],
	});
	return [chunk(messageOf(reply), null), chunk({}, finishReasonOf(reply))];
}

function commonMembers(model: string, object: string): object {
	return { id: 'chatcmpl-1', object, created: 0, model };
}

function messageOf(reply: ModelReply): object {
	if (typeof reply === 'string') return { role: 'assistant', content: reply };
	return {
		role: 'assistant',
		content: null,
		// Only a stream needs `index`.
		tool_calls: reply.map(({ id, name, args }, index) => ({
			index,
			id,
			type: 'function',
			function: { name, arguments: JSON.stringify(args) },
		})),
	};
}

function finishReasonOf(reply: ModelReply): string {
	return typeof reply === 'string' ? 'stop' : 'tool_calls';
}

/** Returns the text of a message, whose content is a string or a list of parts. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return JSON.stringify(content ?? null);
	return (content as Array<{ text?: string }>).map(({ text }) => text ?? '').join('');
}
