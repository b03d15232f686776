import type { Request, Response } from 'express';
import {
	answerOf,
	bombAnswer,
	cutAnswer,
	cutGzip,
	delayAnswer,
	dripAnswer,
	endlessAnswer,
	muteAnswer,
	rewriteAnswer,
	takeAnswer,
	trickleAnswer,
} from './answerForms';
import type { Service } from './service';
import type { AnsweringAction, BodyAction } from './faults';
import type { Call } from './types';

/**
 * Does what an ordered fault asks for. Returns whether the call goes on to its route: as usual when
 * no fault is due, or with its answer caught where the fault wants the call served first.
 */
export async function applyFault(
	service: Service,
	call: Call,
	request: Request,
	response: Response,
): Promise<boolean> {
	const action = service.faults.next(call);
	if (action === undefined) return true;
	const drop = (): void => {
		request.socket.destroy();
	};
	if (typeof action === 'string') return applyNamed(action, { call, request, response, drop });
	if ('redirect' in action) {
		response
			.status(action.status ?? 307)
			.set('location', action.redirect)
			.end();
		return false;
	}
	if ('status' in action) {
		const { status, accept, afterMs } = action;
		const replace = (): void => answerOf(response, status, action);
		if (afterMs !== undefined) {
			const speak = accept === true ? muteAnswer(response) : (): void => {};
			service.timers.after(afterMs, () => {
				speak();
				replace();
				if (accept === true) muteAnswer(response);
			});
			return accept === true;
		}
		if (accept === true) takeAnswer(response, replace);
		else replace();
		return accept === true;
	}
	if ('dropAfterMs' in action) service.timers.after(action.dropAfterMs, drop);
	else if ('delayMs' in action) {
		if (changes(call)) delayAnswer(service.timers, response, action.delayMs);
		else await service.timers.wait(action.delayMs);
	} else if ('truncate' in action) cutAnswer(response, action.truncate, drop);
	else if ('stall' in action) cutAnswer(response, action.stall, () => {});
	else if ('trickleMs' in action) trickleAnswer(service.timers, response, action.trickleMs);
	else if ('dripMs' in action) dripAnswer(service.timers, response, action.dripMs);
	else if ('gzipBomb' in action) bombAnswer(response, action.gzipBomb);
	else if ('rewrite' in action) rewriteAnswer(response, action.rewrite);
	else if (changes(call)) takeAnswer(response, () => answerOf(response, 200, action));
	else {
		answerOf(response, 200, action);
		return false;
	}
	return true;
}

/** Does what a fault asks for while the body of a call arrives. The call ends there. */
export function strikeInBody(action: BodyAction, request: Request): void {
	const drops = 'dropInBody' in action;
	const limit = drops ? action.dropInBody : action.stopReading;
	let read = 0;
	const strike = (): void => {
		if (drops) request.socket.destroy();
		else request.pause();
	};
	request.on('data', (chunk: Buffer) => {
		read += chunk.length;
		if (read >= limit) strike();
	});
	request.on('end', strike);
}

interface Meeting {
	call: Call;
	request: Request;
	response: Response;
	drop: () => void;
}

function applyNamed(
	action: Extract<AnsweringAction, string>,
	{ call, request, response, drop }: Meeting,
): boolean {
	switch (action) {
		case 'dropBeforeAccept':
			drop();
			return false;
		case 'dropAfterAccept':
			takeAnswer(response, drop);
			return true;
		case 'hang':
			return false;
		case 'hangAfterAccept':
			takeAnswer(response, () => {});
			return true;
		case 'notFound':
			answerOf(response, 404, { body: { error: `Request ${call.requestId ?? ''} not found` } });
			return false;
		case 'halfHead':
			takeAnswer(response, () => request.socket.write('HTTP/1.1 200 OK\r\ncontent-type: applic'));
			return true;
		case 'endless':
			endlessAnswer(response);
			return true;
		case 'gzipCut':
			cutGzip(response);
			return true;
	}
}

/** Calls that create or change something: faults that replace or delay their answer let them do it first. */
const changes = ({ method }: Call): boolean => method !== 'GET' && method !== 'HEAD';
