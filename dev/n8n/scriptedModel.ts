import express, { type ErrorRequestHandler, type Request, type Response } from 'express';

import { createListener, urlOf, type Listener } from '../emulator/listener';
import {
	CHAT_APIS,
	type ChatApi,
	type ModelCall,
	type ModelReply,
	type ToolCall,
} from './chatApis';

/** A call of a tool. */
export interface ToolUse {
	/** The name of the tool as the model sees it. */
	call: string;
	with?: ToolCall['args'];
	/** The ID of the call; generated if it's missing. */
	id?: string;
}

/** What the model does when it's called: it replies with text, calls one or several tools at once, or fails. */
export type Turn = string | ToolUse | ToolUse[] | { fails: string };
/** A turn of the model, or a function that returns the turn for a call. */
export type ScriptStep = Turn | ((call: ModelCall) => Turn);

/** The name of the model. It accepts every other name too, because recipes use the name of a real model. */
export const SCRIPTED_MODEL = 'scripted';

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** A chat model that follows a script, on loopback, with the API of OpenAI. */
export async function startScriptedModel() {
	const apiKey = 'scripted-model-key';
	/** Every call since `play`, in order. */
	const calls: ModelCall[] = [];
	/** Calls that a real model would never get: without the key, after the end of the script, or of an unknown form. Tests expect none. */
	const problems: string[] = [];
	let turns: ScriptStep[] = [];
	let everyTurn: ((call: ModelCall) => Turn) | undefined;
	let callsMade = 0;

	/** The reply to a call. @throws Problem for a call that a real model would never get */
	const turnFor = (call: ModelCall): ModelReply | { fails: string } => {
		const openIds = unansweredCalls(call);
		if (openIds.length > 0) throw new Problem(400, `no answer to ${openIds.join(', ')}`);
		const next = everyTurn ?? turns.shift();
		if (next === undefined) throw new Problem(400, 'a call beyond the script');
		const turn = typeof next === 'function' ? next(call) : next;
		if (typeof turn === 'string' || 'fails' in turn) return turn;
		return [turn].flat().map(({ call: name, with: args = {}, id = `call_${callsMade++}` }) => {
			if (!call.tools.some((tool) => tool.name === name))
				throw new Problem(400, `the script calls '${name}', which was not offered`);
			return { id, name, args };
		});
	};
	const respond = (api: ChatApi, request: Request, response: Response): void => {
		if (request.headers.authorization !== `Bearer ${apiKey}`)
			throw new Problem(401, 'a call without the right key');
		const { model = SCRIPTED_MODEL, stream } = request.body as { model?: string; stream?: boolean };
		const format = CHAT_APIS[api];
		if (stream && !format.streamChunks)
			throw new Problem(400, `no streaming under ${request.path}`);
		const call = format.parseCall(request.body as Record<string, unknown>);
		calls.push(call);
		const turn = turnFor(call);
		if (typeof turn === 'object' && 'fails' in turn) return sendError(response, 400, turn.fails);
		if (!stream) return void response.json(format.replyBody(model, turn));
		response.type('text/event-stream');
		for (const piece of format.streamChunks?.(model, turn) ?? [])
			response.write(`data: ${typeof piece === 'string' ? piece : JSON.stringify(piece)}\n\n`);
		response.end();
	};
	const listener = await listen(respond, problems);
	return {
		/** For n8n's credential `openAiApi`. */
		credential: { apiKey, url: `${urlOf(listener)}/v1` },
		calls,
		problems,
		/** Forgets everything and starts a script, with one turn for each call. A function instead of a list serves every call. */
		play(script: ScriptStep[] | ((call: ModelCall) => Turn)): void {
			calls.length = 0;
			problems.length = 0;
			everyTurn = typeof script === 'function' ? script : undefined;
			turns = typeof script === 'function' ? [] : [...script];
		},
		/** The number of turns of the script that are still to come. */
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

type Respond = (api: ChatApi, request: Request, response: Response) => void;

async function listen(respond: Respond, problems: string[]): Promise<Listener> {
	const app = express();
	app.use(express.json({ limit: '20mb' }));
	for (const api of Object.keys(CHAT_APIS) as ChatApi[])
		app.post(CHAT_APIS[api].path, (request, response) => respond(api, request, response));
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

/** IDs of tool calls without a response. OpenAI rejects a conversation that has any. */
function unansweredCalls({ messages }: ModelCall): string[] {
	const answered = new Set(messages.map(({ callId }) => callId));
	return messages
		.flatMap(({ calls }) => calls.map(({ id }) => id))
		.filter((id) => !answered.has(id));
}

function sendError(response: Response, status: number, message: string): void {
	response.status(status).json({ error: { message, type: 'invalid_request_error' } });
}
