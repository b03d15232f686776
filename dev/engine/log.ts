import { engineLogger, type LogLevel } from './version';

const listenersByLevel: Record<LogLevel, Set<(message: string) => void>> = {
	debug: new Set(),
	info: new Set(),
	warn: new Set(),
};

/** Collects messages in `log`. Parallel runs share the logger, so `log` gets the messages of all runs. Returns a function that stops collecting. */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	const listeners = listenersByLevel[level];
	const logger = engineLogger();
	const listener = (message: string) => void log.push(message);
	listeners.add(listener);
	logger[level] = (message) => {
		for (const notify of listeners) notify(message);
	};
	return () => {
		listeners.delete(listener);
		// Without this property, the method of the logger's class is used again.
		if (listeners.size === 0) Reflect.deleteProperty(logger, level);
	};
}
