import express, { type ErrorRequestHandler, type Request, type Response } from 'express';

import { createListener, urlOf, type Listener } from '../emulator/listener';
import { CHAT_APIS, type ChatApi, type Heard, type Said, type ToolCall } from './chatApis';

/** Calls a tool by the name the model sees. */
export interface Calling {
	call: string;
	with?: ToolCall['args'];
	/** Made up when left out. */
	id?: string;
}

/** What the model does when it is called: says something, calls tools (at once, when there are several), or is out of order. */
export type Turn = string | Calling | Calling[] | { fails: string };
/** A turn, or a function of the call to the model. */
export type Scripted = Turn | ((heard: Heard) => Turn);

/** Its name. It accepts every other name too, because recipes name a real model. */
export const SCRIPTED_MODEL = 'scripted';

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** A chat model that follows a script, on loopback, with the API of OpenAI. */
export async function startScriptedModel() {
	const apiKey = 'scripted-model-key';
	/** Every call so far, in order. */
	const heard: Heard[] = [];
	/** What no model would have been asked: calls without the key, beyond the script, of unknown shape. Tests want none. */
	const problems: string[] = [];
	let turns: Scripted[] = [];
	let always: ((heard: Heard) => Turn) | undefined;
	let callsMade = 0;

	/** What it says to a call. @throws Problem for one that no model would have been asked */
	const turnFor = (said: Heard): Said | { fails: string } => {
		const unanswered = openCalls(said);
		if (unanswered.length > 0) throw new Problem(400, `no answer to ${unanswered.join(', ')}`);
		const next = always ?? turns.shift();
		if (next === undefined) throw new Problem(400, 'a call beyond the script');
		const turn = typeof next === 'function' ? next(said) : next;
		if (typeof turn === 'string' || 'fails' in turn) return turn;
		return [turn].flat().map(({ call: name, with: args = {}, id = `call_${callsMade++}` }) => {
			if (!said.tools.some((tool) => tool.name === name))
				throw new Problem(400, `the script calls '${name}', which was not offered`);
			return { id, name, args };
		});
	};
	const answer = (api: ChatApi, request: Request, response: Response): void => {
		if (request.headers.authorization !== `Bearer ${apiKey}`)
			throw new Problem(401, 'a call without the right key');
		const { model = SCRIPTED_MODEL, stream } = request.body as { model?: string; stream?: boolean };
		const format = CHAT_APIS[api];
		if (stream && !format.stream) throw new Problem(400, `no streaming under ${request.path}`);
		const said = format.hear(request.body as Record<string, unknown>);
		heard.push(said);
		const turn = turnFor(said);
		if (typeof turn === 'object' && 'fails' in turn) return sendError(response, 400, turn.fails);
		if (!stream) return void response.json(format.say(model, turn));
		response.type('text/event-stream');
		for (const piece of format.stream?.(model, turn) ?? [])
			response.write(`data: ${typeof piece === 'string' ? piece : JSON.stringify(piece)}\n\n`);
		response.end();
	};
	const listener = await listening(answer, problems);
	return {
		/** For n8n's credential `openAiApi`. */
		credential: { apiKey, url: `${urlOf(listener)}/v1` },
		heard,
		problems,
		/** Forgets everything, and follows this script from now on, one turn per call. A function instead of a list serves every call. */
		follow(script: Scripted[] | ((heard: Heard) => Turn)): void {
			heard.length = 0;
			problems.length = 0;
			always = typeof script === 'function' ? script : undefined;
			turns = typeof script === 'function' ? [] : [...script];
		},
		/** Turns of the script that are still to come. */
		left: () => turns.length,
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

type Answer = (api: ChatApi, request: Request, response: Response) => void;

async function listening(answer: Answer, problems: string[]): Promise<Listener> {
	const app = express();
	app.use(express.json({ limit: '20mb' }));
	for (const api of Object.keys(CHAT_APIS) as ChatApi[])
		app.post(CHAT_APIS[api].path, (request, response) => answer(api, request, response));
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

/** Tool calls without a response, which OpenAI rejects. */
function openCalls({ messages }: Heard): string[] {
	const answered = new Set(messages.map(({ callId }) => callId));
	return messages
		.flatMap(({ calls }) => calls.map(({ id }) => id))
		.filter((id) => !answered.has(id));
}

function sendError(response: Response, status: number, message: string): void {
	response.status(status).json({ error: { message, type: 'invalid_request_error' } });
}
