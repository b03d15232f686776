/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** Exit code of a process that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** A command for an npm script that takes only flags. Parsing throws a CommanderError after it has printed the mistake or the requested help. */
export function commandOf(name: string, description: string): Command {
	return new Command(`npm ${name} --`)
		.description(description)
		.allowExcessArguments(false)
		.exitOverride();
}

export function jobSecondsOption(usual: number): Option {
	return new Option('--job-seconds <seconds>', 'roughly how long an emulated job takes')
		.argParser(numberFrom(0, 3600, false))
		.default(usual);
}

/** `count`: how many consecutive ports the command uses. */
export function portOption(what: string, usual: number, count = 1): Option {
	return new Option('--port <number>', what)
		.argParser(numberFrom(0, 65_535 - count + 1, true))
		.default(usual);
}

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

/** Fires at the first Ctrl-C; the second ends the process at once. */
export function stopOnCtrlC(): AbortSignal {
	const controller = new AbortController();
	process.on('SIGINT', () => {
		if (controller.signal.aborted) process.exit(INTERRUPTED);
		controller.abort();
	});
	return controller.signal;
}

/** Runs a command and turns an error into one sentence and an exit code. `sentence` is the fallback text. */
export async function runCommand(
	main: () => Promise<void>,
	sentence: (error: Error) => string,
): Promise<void> {
	await main().catch((error: Error) => {
		process.exitCode = 1;
		// commander has already printed the mistake or the requested help.
		if (error instanceof CommanderError) process.exitCode = error.exitCode;
		else if (error.name === 'AbortError') process.exitCode = INTERRUPTED;
		else process.stderr.write(`${portProblem(error) ?? sentence(error)}\n`);
	});
}

/** A sentence about the error, if it concerns a port. */
function portProblem(error: unknown): string | undefined {
	const { code, port } = error as { code?: string; port?: number };
	if (code === 'EADDRINUSE')
		return `Port ${port} is in use. Choose another first port with --port, or use --port 0 for any free ports.`;
	if (code === 'EACCES')
		return `You don't have permission to open port ${port}. Choose a --port above 1023.`;
	return undefined;
}
