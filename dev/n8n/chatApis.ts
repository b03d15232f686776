/** OpenAI's two chat APIs, as far as n8n's OpenAI Chat Model node uses them. */

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
	role: 'system' | 'user' | 'assistant' | 'tool';
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

export type ChatApi = 'completions' | 'responses';

interface ChatFormat {
	path: string;
	/** @throws TypeError when the body has another shape */
	parseCall(body: Body): ModelCall;
	replyBody(model: string, reply: ModelReply): object;
	/** The reply as a stream: each chunk is the data of a server-sent event, and the last one is text. Agents before version 3 need it. */
	streamChunks?(model: string, reply: ModelReply): unknown[];
}

type Body = Record<string, unknown>;
interface WireFunction {
	name: string;
	arguments: string;
}
interface WireTool {
	name: string;
	description: string;
	parameters: OfferedTool['schema'];
}
interface CompletionMessage {
	role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
	content?: unknown;
	tool_calls?: Array<{ id: string; function: WireFunction }>;
	tool_call_id?: string;
}
interface ResponseItem extends Partial<WireFunction> {
	type?: string;
	role?: CompletionMessage['role'];
	content?: unknown;
	call_id?: string;
	output?: unknown;
}

const TOKENS = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

export const CHAT_APIS: Record<ChatApi, ChatFormat> = {
	completions: {
		path: '/v1/chat/completions',
		parseCall: (body) => ({
			messages: (body.messages as CompletionMessage[]).map((message) => ({
				role: roleOf(message.role),
				text: textOf(message.content),
				calls: (message.tool_calls ?? []).map(({ id, function: called }) => callOf(id, called)),
				...(message.tool_call_id !== undefined && { callId: message.tool_call_id }),
			})),
			tools: ((body.tools ?? []) as Array<{ function: WireTool }>).map(({ function: tool }) =>
				toolOf(tool),
			),
		}),
		replyBody: (model, reply) => ({
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model,
			choices: [
				{
					index: 0,
					finish_reason: finishReasonOf(reply),
					message: { role: 'assistant', ...replyMembers(reply) },
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}),
		streamChunks: (model, reply) => {
			const chunk = (delta: object, finish_reason: string | null) => ({
				id: 'chatcmpl-1',
				object: 'chat.completion.chunk',
				created: 0,
				model,
				choices: [{ index: 0, delta, finish_reason }],
			});
			return [
				chunk({ role: 'assistant', ...replyMembers(reply, true) }, null),
				chunk({}, finishReasonOf(reply)),
				'[DONE]',
			];
		},
	},
	responses: {
		path: '/v1/responses',
		parseCall: (body) => ({
			messages: (body.input as ResponseItem[]).map((item) => {
				if (item.type === 'function_call_output')
					return { role: 'tool', text: textOf(item.output), calls: [], callId: item.call_id };
				if (item.type === 'function_call')
					return {
						role: 'assistant',
						text: '',
						calls: [callOf(item.call_id as string, item as WireFunction)],
					};
				return {
					role: roleOf(item.role as CompletionMessage['role']),
					text: textOf(item.content),
					calls: [],
				};
			}),
			tools: ((body.tools ?? []) as WireTool[]).map(toolOf),
		}),
		replyBody: (model, reply) => ({
			id: 'resp_1',
			object: 'response',
			created_at: 0,
			status: 'completed',
			error: null,
			incomplete_details: null,
			metadata: {},
			model,
			output:
				typeof reply === 'string'
					? [
							{
								type: 'message',
								id: 'msg_1',
								role: 'assistant',
								status: 'completed',
								content: [{ type: 'output_text', text: reply, annotations: [] }],
							},
						]
					: reply.map(({ id, name, args }) => ({
							type: 'function_call',
							id: `fc_${id}`,
							call_id: id,
							name,
							arguments: JSON.stringify(args),
							status: 'completed',
						})),
			usage: {
				...TOKENS,
				input_tokens_details: { cached_tokens: 0 },
				output_tokens_details: { reasoning_tokens: 0 },
			},
		}),
	},
};

/** Returns the members `content` and `tool_calls` of a completion's message. In a stream, each tool call has an index. */
function replyMembers(reply: ModelReply, isNumbered = false): object {
	if (typeof reply === 'string') return { content: reply };
	return {
		content: null,
		tool_calls: reply.map(({ id, name, args }, index) => ({
			...(isNumbered && { index }),
			id,
			type: 'function',
			function: { name, arguments: JSON.stringify(args) },
		})),
	};
}

function finishReasonOf(reply: ModelReply): string {
	return typeof reply === 'string' ? 'stop' : 'tool_calls';
}

function toolOf({ name, description, parameters }: WireTool): OfferedTool {
	return { name, description, schema: parameters };
}

function callOf(id: string, called: WireFunction): ToolCall {
	return { id, name: called.name, args: JSON.parse(called.arguments) as ToolCall['args'] };
}

function roleOf(role: CompletionMessage['role']): ChatMessage['role'] {
	return role === 'developer' ? 'system' : role;
}

/** Returns the text of a message, whose content is a string or a list of parts. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return JSON.stringify(content ?? null);
	return (content as Array<{ text?: string }>).map(({ text }) => text ?? '').join('');
}
