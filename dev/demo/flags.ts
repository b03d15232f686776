import { InvalidArgumentError, Option } from 'commander';

import { commandOf, jobSecondsOption, portOption } from '../base/command';
import { originNames } from '../emulator/types';

export interface Flags {
	/** The folder for the files, relative to the current folder. */
	out: string;
	/** The prompts to use; an empty list means the prompts of the examples. */
	prompt: string[];
	model?: string;
	/** The first port of the emulator; 0 means any free ports. */
	port: number;
	/** The approximate duration of an emulated request. */
	jobSeconds: number;
}

/** Flags that only the emulator uses. */
const EMULATOR_FLAGS = ['port', 'jobSeconds'] as const;

/**
 * Reads the command line. `isReal`: whether the demo runs on Segmind itself.
 * @throws CommanderError for a wrong flag or a request for help, after commander has printed the message
 */
export function readFlags(args: readonly string[], isReal: boolean): Flags {
	const command = commandOf(
		'start',
		"Runs examples/text-to-image.json and examples/batch-of-prompts.json in n8n's engine, against an emulated Segmind. If SEGMIND_API_KEY is set in the environment, it runs against Segmind itself, and your account is charged.",
	)
		.option('--out <folder>', 'where to write the files', readNonEmpty, 'output')
		.addOption(
			new Option(
				'--prompt <text>',
				'a prompt to use instead of those in the examples; repeat the flag for a batch',
			)
				.default([], 'the prompts of the examples')
				.argParser((text: string, earlier: string[]) => [...earlier, readNonEmpty(text)]),
		)
		.option(
			'--model <slug>',
			'the model to use instead of those in the examples, e.g. nano-banana-pro',
			readNonEmpty,
		)
		.addOption(jobSecondsOption(3))
		.addOption(
			portOption(
				'first port of the emulator, which uses consecutive ports; 0 for any free ports',
				0,
				originNames.length,
			),
		)
		.parse(args, { from: 'user' });
	if (isReal && EMULATOR_FLAGS.some((name) => command.getOptionValueSource(name) === 'cli')) {
		command.error(
			"error: --port and --job-seconds only apply to the emulator, which isn't used while SEGMIND_API_KEY is set",
		);
	}
	return command.opts<Flags>();
}

function readNonEmpty(text: string): string {
	if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
	return text;
}
