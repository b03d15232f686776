import { InvalidArgumentError, Option } from 'commander';

import { commandOf, jobSecondsOption, portOption } from '../base/command';
import { originNames } from '../emulator/types';

export interface Flags {
	/** Folder the files are written to, relative to where the command runs. */
	out: string;
	/** Empty: the prompts of the examples. */
	prompt: string[];
	model?: string;
	/** First port of the emulator; 0 = any free ones. */
	port: number;
	/** How long a job of the emulator takes, s, give or take. */
	jobSeconds: number;
}

/** Flags that only mean something to the emulator. */
const EMULATOR_FLAGS = ['port', 'jobSeconds'] as const;

/**
 * Reads the command line. `realService`: whether the emulator is left out.
 * @throws CommanderError when there is nothing to run: a wrong flag, or help was asked for; commander has printed it then
 */
export function readFlags(words: readonly string[], realService: boolean): Flags {
	const command = commandOf(
		'start',
		'Runs examples/text-to-image.json and examples/batch-of-prompts.json in the engine of n8n, on an emulated Segmind. With SEGMIND_API_KEY in the environment: on Segmind itself, at its prices.',
	)
		.option('--out <folder>', 'where to write the files', filled, 'output')
		.addOption(
			new Option('--prompt <text>', 'what to generate instead; repeat it for a batch')
				.default([], 'those of the examples')
				.argParser((text: string, before: string[]) => [...before, filled(text)]),
		)
		.option('--model <slug>', 'the model to use instead, e.g. nano-banana-pro', filled)
		.addOption(jobSecondsOption(3))
		.addOption(
			portOption(
				'first of consecutive ports for the emulator, 0 for any free ones',
				0,
				originNames.length,
			),
		)
		.parse(words, { from: 'user' });
	if (realService && EMULATOR_FLAGS.some((name) => command.getOptionValueSource(name) === 'cli')) {
		command.error(
			'error: --port and --job-seconds are for the emulator, which is not used while SEGMIND_API_KEY is set',
		);
	}
	return command.opts<Flags>();
}

function filled(text: string): string {
	if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
	return text;
}
