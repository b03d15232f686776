/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** Exit code of a process that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Creates the command of an npm script that takes only flags. Parsing throws a CommanderError after it has printed the mistake or the requested help. */
export function commandOf(name: string, description: string): Command {
	return new Command(`npm ${name} --`)
		.description(description)
		.allowExcessArguments(false)
		.exitOverride();
}

export function jobSecondsOption(defaultSeconds: number): Option {
	return new Option('--job-seconds <seconds>', 'roughly how long an emulated job takes')
		.argParser(numberFrom(0, 3600, false))
		.default(defaultSeconds);
}

/** `count`: how many consecutive ports the command uses. */
export function portOption(description: string, defaultPort: number, count = 1): Option {
	return new Option('--port <number>', description)
		.argParser(numberFrom(0, 65_535 - count + 1, true))
		.default(defaultPort);
}

/** Returns a parser for a flag's number within bounds. The parser throws an InvalidArgumentError for anything else. */
export function numberFrom(min: number, max: number, isWhole: boolean): (text: string) => number {
	return (text) => {
		const value = text.trim() === '' ? NaN : Number(text);
		if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
		throw new InvalidArgumentError(
			`It must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}.`,
		);
	};
}

/** Returns a signal that fires at the first Ctrl-C. A second Ctrl-C ends the process at once. */
export function stopOnCtrlC(): AbortSignal {
	const controller = new AbortController();
	process.on('SIGINT', () => {
		if (controller.signal.aborted) process.exit(INTERRUPTED);
		controller.abort();
	});
	return controller.signal;
}

/** Runs a command and turns an error into one sentence and an exit code. `sentenceFor` is called for errors that aren't about flags, Ctrl-C or ports. */
export async function runCommand(
	main: () => Promise<void>,
	sentenceFor: (error: Error) => string,
): Promise<void> {
	await main().catch((error: Error) => {
		process.exitCode = 1;
		// commander has already printed the mistake or the requested help.
		if (error instanceof CommanderError) process.exitCode = error.exitCode;
		else if (error.name === 'AbortError') process.exitCode = INTERRUPTED;
		else process.stderr.write(`${portProblem(error) ?? sentenceFor(error)}\n`);
	});
}

/** Returns a sentence about the error if it concerns a port. */
function portProblem(error: unknown): string | undefined {
	const { code, port } = error as { code?: string; port?: number };
	if (code === 'EADDRINUSE')
		return `Port ${port} is in use. Choose another first port with --port, or use --port 0 for any free ports.`;
	if (code === 'EACCES')
		return `You don't have permission to open port ${port}. Choose a --port above 1023.`;
	return undefined;
}
