import { engineLogger, type LogLevel } from './version';

const listening: Record<LogLevel, Set<string[]>> = { info: new Set(), warn: new Set() };

/**
 * Collects what nodes log at one level through n8n's logger, instead of its being printed. What runs at the same time shares the logger, so each
 * log gets the lines of all. Gives what ends it.
 */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	const logs = listening[level];
	const logger = engineLogger();
	logs.add(log);
	logger[level] = (message) => {
		for (const each of logs) each.push(message);
	};
	return () => {
		logs.delete(log);
		// Its own method is its class's.
		if (logs.size === 0) Reflect.deleteProperty(logger, level);
	};
}
