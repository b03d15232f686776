import express, { type Request, type Response } from 'express';

import { createListener, urlOf } from '../emulator/listener';
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
/** A turn, or a function of what the model heard. */
export type Scripted = Turn | ((heard: Heard) => Turn);

/** A chat model that says what a script tells it to, on loopback, with the API of OpenAI. */
export interface ScriptedModel {
	/** For n8n's credential `openAiApi`. */
	credential: { apiKey: string; url: string };
	/** Every call so far, in order. */
	heard: Heard[];
	/** What no model would have been asked: calls without the key, beyond the script, of unknown shape. Tests want none. */
	problems: string[];
	/** Forgets all, and follows this script from now on, a turn a call. A function instead of a list answers every call. */
	follow(script: Scripted[] | ((heard: Heard) => Turn)): void;
	/** Turns of the script that are still to come. */
	left(): number;
	close(): Promise<void>;
}

/** The only model it has. */
export const SCRIPTED_MODEL = 'scripted';

const MAX_BODY = '20mb';

export async function startScriptedModel(): Promise<ScriptedModel> {
	const apiKey = 'scripted-model-key';
	const heard: Heard[] = [];
	const problems: string[] = [];
	let turns: Scripted[] = [];
	let always: ((heard: Heard) => Turn) | undefined;
	let callsMade = 0;

	const answer = (api: ChatApi, request: Request, response: Response): void => {
		const refuse = (status: number, why: string) => {
			problems.push(why);
			sendError(response, status, why);
		};
		if (request.headers.authorization !== `Bearer ${apiKey}`)
			return refuse(401, 'a call without the right key');
		const { model, stream } = request.body as { model?: string; stream?: boolean };
		if (model !== SCRIPTED_MODEL) return refuse(404, `there is no model '${model}'`);
		const format = CHAT_APIS[api];
		if (stream && !format.stream) return refuse(400, `no streaming under ${request.path}`);
		const said = { api, ...format.hear(request.body as Record<string, unknown>) };
		heard.push(said);
		const unanswered = openCalls(said);
		if (unanswered.length > 0) return refuse(400, `no answer to ${unanswered.join(', ')}`);
		const next = always ?? turns.shift();
		if (next === undefined) return refuse(400, 'a call beyond the script');
		const turn = typeof next === 'function' ? next(said) : next;
		if (typeof turn === 'object' && 'fails' in turn) return sendError(response, 400, turn.fails);
		const speak = (what: Said) => {
			if (!stream) return void response.json(format.say(model, what));
			response.type('text/event-stream');
			for (const piece of format.stream?.(model, what) ?? [])
				response.write(`data: ${typeof piece === 'string' ? piece : JSON.stringify(piece)}\n\n`);
			response.end();
		};
		if (typeof turn === 'string') return speak(turn);
		const calls = [turn].flat().map(({ call, with: args = {}, id }) => ({
			id: id ?? `call_${callsMade++}`,
			name: call,
			args,
		}));
		const unknown = calls.find(({ name }) => !said.tools.some((tool) => tool.name === name));
		if (unknown) return refuse(400, `the script calls '${unknown.name}', which was not offered`);
		speak(calls);
	};

	const app = express();
	app.use(express.json({ limit: MAX_BODY }));
	for (const api of Object.keys(CHAT_APIS) as ChatApi[])
		app.post(CHAT_APIS[api].path, (request, response) => answer(api, request, response));
	app.get('/v1/models', (_request, response) => {
		response.json({ object: 'list', data: [{ id: SCRIPTED_MODEL, object: 'model' }] });
	});
	app.use((request, response) => {
		problems.push(`${request.method} ${request.path}`);
		sendError(response, 404, 'there is no such address');
	});
	const listener = createListener(app);
	await listener.listen(0);
	return {
		credential: { apiKey, url: `${urlOf(listener)}/v1` },
		heard,
		problems,
		follow(script) {
			heard.length = 0;
			problems.length = 0;
			always = typeof script === 'function' ? script : undefined;
			turns = typeof script === 'function' ? [] : [...script];
		},
		left: () => turns.length,
		close: async () => await listener.stop(),
	};
}

/** Calls of tools that no message answers, which OpenAI refuses. */
function openCalls({ messages }: Heard): string[] {
	const answered = new Set(messages.map(({ callId }) => callId));
	return messages
		.flatMap(({ calls }) => calls.map(({ id }) => id))
		.filter((id) => !answered.has(id));
}

function sendError(response: Response, status: number, message: string): void {
	response.status(status).json({ error: { message, type: 'invalid_request_error' } });
}
