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
		// The method that was set hides the one of the logger's class.
		if (listeners.size === 0) Reflect.deleteProperty(logger, level);
	};
}

/** Collects messages in `log`. Parallel runs share the logger, so `log` gets the messages of all of them. Returns a function that ends this. */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	return listenToLog(level, (message) => log.push(message));
}
