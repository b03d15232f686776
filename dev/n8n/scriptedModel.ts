import express, { type ErrorRequestHandler, type Request, type Response } from 'express';

import { createListener, urlOf, type Listener } from '../emulator/listener';
import {
	chunksOf,
	completionOf,
	readCall,
	type CompletionBody,
	type ModelCall,
	type ModelReply,
	type ToolCall,
} from './chatApi';

/** A tool call in a script. */
interface ToolUse {
	/** The name of the tool as the model sees it. */
	call: string;
	with?: ToolCall['args'];
	/** The ID of the call; generated if undefined. */
	id?: string;
}

/** What the model does when it's called: it replies with text, calls one tool or several tools at once, or fails. */
export type Turn = string | ToolUse | ToolUse[] | { fails: string };
/** A turn of the model, or a function that returns the turn for a call. */
export type ScriptStep = Turn | ((call: ModelCall) => Turn);

/** The name of the model. It accepts every other name too, because recipes use the name of a real model. */
export const SCRIPTED_MODEL = 'scripted';

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** Starts a chat model on loopback that follows a script and has OpenAI's API for chat completions. */
export async function startScriptedModel() {
	const apiKey = 'scripted-model-key';
	/** Every call since `play`, in order. */
	const calls: ModelCall[] = [];
	/** Calls that a real model would never get: without the key, after the end of the script, or of an unknown form. Tests expect none. */
	const problems: string[] = [];
	let turns: ScriptStep[] = [];
	let turnForEveryCall: ((call: ModelCall) => Turn) | undefined;
	let toolCallCount = 0;

	/** Returns the reply to a call. @throws Problem for a call that a real model would never get */
	const replyTo = (call: ModelCall): ModelReply | { fails: string } => {
		const openIds = unansweredCalls(call);
		if (openIds.length > 0) throw new Problem(400, `no response to ${openIds.join(', ')}`);
		const next = turnForEveryCall ?? turns.shift();
		if (next === undefined) throw new Problem(400, 'a call beyond the script');
		const turn = typeof next === 'function' ? next(call) : next;
		if (typeof turn === 'string' || 'fails' in turn) return turn;
		return [turn].flat().map(({ call: name, with: args = {}, id = `call_${toolCallCount++}` }) => {
			if (!call.tools.some((tool) => tool.name === name))
				throw new Problem(400, `the script calls '${name}', which was not offered`);
			return { id, name, args };
		});
	};
	const respond = (request: Request, response: Response): void => {
		if (request.headers.authorization !== `Bearer ${apiKey}`)
			throw new Problem(401, 'a call without the right key');
		const body = request.body as CompletionBody;
		const call = readCall(body);
		calls.push(call);
		const reply = replyTo(call);
		if (typeof reply === 'object' && 'fails' in reply) return sendError(response, 400, reply.fails);
		if (!body.stream) return void response.json(completionOf(body.model, reply));
		response.type('text/event-stream');
		for (const chunk of chunksOf(body.model, reply))
			response.write(`data: ${JSON.stringify(chunk)}\n\n`);
		response.end('data: [DONE]\n\n');
	};
	const listener = await listen(respond, problems);
	return {
		/** Values for n8n's credential `openAiApi`. */
		credential: { apiKey, url: `${urlOf(listener)}/v1` },
		calls,
		problems,
		/** Forgets all calls and problems, and starts a script: a list with one step for each call, or a function that returns the turn for every call. */
		play(script: ScriptStep[] | ((call: ModelCall) => Turn)): void {
			calls.length = 0;
			problems.length = 0;
			turnForEveryCall = typeof script === 'function' ? script : undefined;
			turns = typeof script === 'function' ? [] : [...script];
		},
		/** Returns the number of steps that are left in the script. */
		turnsLeft: () => turns.length,
		close: async () => await listener.stop(),
	};
}

class Problem extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

type Respond = (request: Request, response: Response) => void;

async function listen(respond: Respond, problems: string[]): Promise<Listener> {
	const app = express();
	app.use(express.json({ limit: '20mb' }));
	app.post('/v1/chat/completions', respond);
	app.get('/v1/models', (_request, response) => {
		response.json({ object: 'list', data: [{ id: SCRIPTED_MODEL, object: 'model' }] });
	});
	app.use(({ method, path }) => {
		throw new Problem(404, `there is no ${method} ${path}`);
	});
	app.use(((error: Error, _request, response, next) => {
		if (response.headersSent) return next(error);
		problems.push(error.message);
		sendError(response, error instanceof Problem ? error.status : 400, error.message);
	}) as ErrorRequestHandler);
	const listener = createListener(app);
	await listener.listen(0);
	return listener;
}

/** Returns the IDs of tool calls that have no response yet. OpenAI rejects a conversation with such calls. */
function unansweredCalls({ messages }: ModelCall): string[] {
	const answered = new Set(messages.map(({ callId }) => callId));
	return messages
		.flatMap(({ calls }) => calls.map(({ id }) => id))
		.filter((id) => !answered.has(id));
}

function sendError(response: Response, status: number, message: string): void {
	response.status(status).json({ error: { message, type: 'invalid_request_error' } });
}
