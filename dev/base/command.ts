/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { CommanderError, InvalidArgumentError } from 'commander';

import { portProblem } from './portProblem';

/** Exit code of a process that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Reads a flag's number within bounds. @throws InvalidArgumentError for anything else */
export function numberFrom(least: number, most: number, whole: boolean): (text: string) => number {
	return (text) => {
		const value = text.trim() === '' ? NaN : Number(text);
		if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
		throw new InvalidArgumentError(
			`It must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}.`,
		);
	};
}

/** Runs a command; what it throws becomes one sentence and an exit code. `sentence` says it where nothing better is known. */
export function runCommand(main: () => Promise<void>, sentence: (error: Error) => string): void {
	main().catch((error: Error) => {
		process.exitCode = 1;
		// commander has printed its sentence, or the help that was asked for.
		if (error instanceof CommanderError) process.exitCode = error.exitCode;
		else if (error.name === 'AbortError') process.exitCode = INTERRUPTED;
		else process.stderr.write(`${portProblem(error) ?? sentence(error)}\n`);
	});
}
