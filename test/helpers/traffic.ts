/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** Watches this process's connections, calls and bytes, to tell whether anything can still happen before time advances. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Turns of the event loop without traffic before time may advance while calls are open. */
const QUIET_TURNS = 10;
/** The same number while no call is open. */
const IDLE_TURNS = 2;

type Listener = (message: unknown) => void;

export class Traffic {
	/** Calls since `begin`. */
	calls = 0;

	/** Counts all events and bytes until the last `isQuiet()`. */
	progress = -1;

	private readonly connections = new Set<Socket>();

	private readonly accepted = new Set<Socket>();

	private readonly openResponses = new Set<ServerResponse<IncomingMessage>>();

	private events = 0;

	private bytesBeforeStep = 0;

	/** Turns of the event loop since the last progress. */
	private quietTurns = 0;

	private readonly listeners: Record<string, Listener> = {
		'net.client.socket': (message) =>
			this.track(this.connections, (message as { socket: Socket }).socket),
		'net.server.socket': (message) =>
			this.track(this.accepted, (message as { socket: Socket }).socket),
		'http.server.request.start': (message) => {
			this.calls++;
			this.track(this.openResponses, (message as { response: ServerResponse }).response);
		},
	};

	start(): void {
		for (const [name, listener] of Object.entries(this.listeners)) subscribe(name, listener);
	}

	stop(): void {
		for (const [name, listener] of Object.entries(this.listeners)) unsubscribe(name, listener);
	}

	get isConnected(): boolean {
		return this.connections.size > 0;
	}

	get bytesSinceStep(): number {
		return this.bytes() - this.bytesBeforeStep;
	}

	/** Starts counting calls and bytes anew. */
	begin(): void {
		this.calls = 0;
		this.step();
	}

	/** The clock advances. */
	step(): void {
		this.quietTurns = 0;
		this.bytesBeforeStep = this.bytes();
	}

	/** Whether nothing can happen before time advances. Call it once in each turn of the event loop. */
	isQuiet(): boolean {
		const progress = this.events + this.bytes();
		const isStill = progress === this.progress && !isDiskBusy();
		this.quietTurns = isStill ? this.quietTurns + 1 : 0;
		this.progress = progress;
		const { connections, openResponses, quietTurns } = this;
		if (connections.size + openResponses.size === 0) return quietTurns >= IDLE_TURNS;
		// Each open connection has a call whose response the emulator hasn't written.
		const isEachHeld = connections.size === openResponses.size;
		const isBeingSent = [...openResponses].some(({ writableEnded }) => writableEnded);
		return quietTurns >= QUIET_TURNS && isEachHeld && !isBeingSent;
	}

	describe(): string {
		const { connections, openResponses } = this;
		return `${connections.size} connections, ${openResponses.size} calls without a complete response`;
	}

	private track<T extends { once(event: 'close', listener: () => void): unknown }>(
		open: Set<T>,
		member: T,
	): void {
		this.events++;
		open.add(member);
		member.once('close', () => {
			this.events++;
			open.delete(member);
		});
	}

	private bytes(): number {
		return [...this.connections, ...this.accepted].reduce(
			(sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten,
			0,
		);
	}
}

/** Whether files or DNS lookups are in progress, which take real time and end by themselves. */
function isDiskBusy(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((what) => /^(FSReq|CloseReq|GetAddrInfo)/.test(what));
}
