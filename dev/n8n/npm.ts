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

/** Runs npm in a folder, without install scripts unless `env` allows them, and reports the time every 15 s. @throws Error with npm's message */
export async function npm(args: string[], cwd: string, { say, signal, env }: NpmOptions) {
	const startedAt = Date.now();
	const reporting = setInterval(
		() => say(`  npm ${args.join(' ')}: ${formatDuration(Date.now() - startedAt)}`),
		15_000,
	);
	await run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd,
		signal,
		shell: NPM_SHELL,
		env: { ...envWithoutNpm(), npm_config_ignore_scripts: 'true', ...env },
		maxBuffer: Infinity,
	})
		.catch((error: Error & { stderr?: string }) => {
			if (error.name === 'AbortError') throw error;
			const output = (error.stderr || error.message).slice(-3_000);
			throw new Error(`npm ${args.join(' ')} failed; it says:\n${output}`);
		})
		.finally(() => clearInterval(reporting));
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

/** Formats a duration as m:ss. */
export function formatDuration(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
