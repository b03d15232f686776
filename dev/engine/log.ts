import { engineLogger, type LogLevel } from './version';

type Hear = (message: string, metadata?: object) => void;

const listening: Record<LogLevel, Set<Hear>> = {
	debug: new Set(),
	info: new Set(),
	warn: new Set(),
};

/** Hears what nodes log at one level through n8n's logger, instead of its being printed. Gives what ends it. */
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

/** Collects the messages. What runs at the same time shares the logger, so each log gets the lines of all. Gives what ends it. */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	return hearLog(level, (message) => log.push(message));
}
