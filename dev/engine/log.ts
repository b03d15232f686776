import { engineLogger, type LogLevel } from './version';

type LogListener = (message: string, metadata?: object) => void;

const listenersByLevel: Record<LogLevel, Set<LogListener>> = {
	debug: new Set(),
	info: new Set(),
	warn: new Set(),
};

/** Passes the messages that nodes log at one level to a listener instead of printing them. Returns a function that removes the listener. */
export function listenToLog(level: LogLevel, listener: LogListener): () => void {
	const listeners = listenersByLevel[level];
	const logger = engineLogger();
	listeners.add(listener);
	logger[level] = (...line) => {
		for (const notify of listeners) notify(...line);
	};
	return () => {
		listeners.delete(listener);
		// Without this property, the method of the logger's class is used again.
		if (listeners.size === 0) Reflect.deleteProperty(logger, level);
	};
}

/** Collects messages in `log`. Parallel runs share the logger, so `log` gets the messages of all runs. Returns a function that stops collecting. */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	return listenToLog(level, (message) => log.push(message));
}
