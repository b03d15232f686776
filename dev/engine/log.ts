import { engineLogger, type LogLevel } from './version';

type Hear = (message: string, metadata?: object) => void;

const listening: Record<LogLevel, Set<Hear>> = {
	debug: new Set(),
	info: new Set(),
	warn: new Set(),
};

/** Receives what nodes log at one level, instead of printing it. Returns a function that ends this. */
export function hearLog(level: LogLevel, hear: Hear): () => void {
	const all = listening[level];
	const logger = engineLogger();
	all.add(hear);
	logger[level] = (...line) => {
		for (const each of all) each(...line);
	};
	return () => {
		all.delete(hear);
		// Its own method is its class's.
		if (all.size === 0) Reflect.deleteProperty(logger, level);
	};
}

/** Collects the messages. Parallel runs share the logger, so each log gets the lines of all. Returns a function that ends this. */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	return hearLog(level, (message) => log.push(message));
}
