/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { NPM_SHELL, run } from '../base/run';

export interface NpmOptions {
	/** Receives lines for the user. */
	say: (line: string) => void;
	/** Aborting the signal ends npm. */
	signal?: AbortSignal;
	/** Environment variables in addition to those of this process. */
	env?: Record<string, string>;
}

/** Runs npm in a folder, without install scripts unless `env` allows them. @throws Error with npm's message */
export async function npm(args: string[], cwd: string, { say, signal, env }: NpmOptions) {
	say(`  npm ${args.join(' ')} …`);
	await run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd,
		signal,
		shell: NPM_SHELL,
		env: { ...envWithoutNpm(), npm_config_ignore_scripts: 'true', ...env },
		maxBuffer: Infinity,
	}).catch((error: Error & { stderr?: string }) => {
		if (error.name === 'AbortError') throw error;
		const output = (error.stderr || error.message).slice(-3_000);
		throw new Error(`npm ${args.join(' ')} failed; it says:\n${output}`);
	});
}

/** Returns the environment without the variables that `npm run` adds, because they are settings for this repository, not for n8n. */
export function envWithoutNpm(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) =>
				!/^npm_(config|package|lifecycle)_/i.test(name) || /registry|proxy|cache/i.test(name),
		),
	);
}
