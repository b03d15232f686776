/** The two APIs under which OpenAI offers its chat models, as far as n8n's OpenAI Chat Model node uses them. */

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
	/** Of the assistant. */
	calls: ToolCall[];
	/** For a tool's message: the call that it responds to. */
	callId?: string;
}

/** The content of one call to the model. */
export interface Heard {
	messages: ChatMessage[];
	tools: OfferedTool[];
}

/** What the model says: text, or calls of tools. */
export type Said = string | ToolCall[];

export type ChatApi = 'completions' | 'responses';

interface ChatFormat {
	path: string;
	/** @throws TypeError when the body has another shape */
	hear(body: Body): Heard;
	say(model: string, said: Said): object;
	/** The same in chunks, each the data of one server-sent event, the last one text; agents before version 3 need it. */
	stream?(model: string, said: Said): unknown[];
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
		hear: (body) => ({
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
		say: (model, said) => ({
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model,
			choices: [
				{
					index: 0,
					finish_reason: finishOf(said),
					message: { role: 'assistant', ...spoken(said) },
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}),
		stream: (model, said) => {
			const chunk = (delta: object, finish_reason: string | null) => ({
				id: 'chatcmpl-1',
				object: 'chat.completion.chunk',
				created: 0,
				model,
				choices: [{ index: 0, delta, finish_reason }],
			});
			return [
				chunk({ role: 'assistant', ...spoken(said, true) }, null),
				chunk({}, finishOf(said)),
				'[DONE]',
			];
		},
	},
	responses: {
		path: '/v1/responses',
		hear: (body) => ({
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
		say: (model, said) => ({
			id: 'resp_1',
			object: 'response',
			created_at: 0,
			status: 'completed',
			error: null,
			incomplete_details: null,
			metadata: {},
			model,
			output:
				typeof said === 'string'
					? [
							{
								type: 'message',
								id: 'msg_1',
								role: 'assistant',
								status: 'completed',
								content: [{ type: 'output_text', text: said, annotations: [] }],
							},
						]
					: said.map(({ id, name, args }) => ({
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

/** Content and calls of a completion's message; in a stream each call says its place. */
function spoken(said: Said, numbered = false): object {
	if (typeof said === 'string') return { content: said };
	return {
		content: null,
		tool_calls: said.map(({ id, name, args }, index) => ({
			...(numbered && { index }),
			id,
			type: 'function',
			function: { name, arguments: JSON.stringify(args) },
		})),
	};
}

function finishOf(said: Said): string {
	return typeof said === 'string' ? 'stop' : 'tool_calls';
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

/** Content is text, or a list of parts. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return JSON.stringify(content ?? null);
	return (content as Array<{ text?: string }>).map(({ text }) => text ?? '').join('');
}
