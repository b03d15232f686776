/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { NPM_SHELL, run } from '../base/run';

export interface NpmSurroundings {
	/** Takes lines for the user. */
	say: (line: string) => void;
	/** Ends it early. */
	signal?: AbortSignal;
	/** On top of our own environment. */
	env?: Record<string, string>;
}

/** Runs npm in a folder, without install scripts unless `env` allows them, and reports the time every 15 s. @throws Error with npm's message */
export async function npm(words: string[], cwd: string, { say, signal, env }: NpmSurroundings) {
	const startedAt = Date.now();
	const running = setInterval(
		() => say(`  npm ${words.join(' ')}: ${clock(Date.now() - startedAt)}`),
		15_000,
	);
	await run('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd,
		signal,
		shell: NPM_SHELL,
		env: { ...outsideNpm(), npm_config_ignore_scripts: 'true', ...env },
		maxBuffer: Infinity,
	})
		.catch((error: Error & { stderr?: string }) => {
			if (error.name === 'AbortError') throw error;
			const said = (error.stderr || error.message).slice(-3_000);
			throw new Error(`npm ${words.join(' ')} failed; it says:\n${said}`);
		})
		.finally(() => clearInterval(running));
}

/** The environment without what `npm run` put into it: its settings are this repository's, not n8n's. */
export function outsideNpm(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) =>
				!/^npm_(config|package|lifecycle)_/i.test(name) || /registry|proxy|cache/i.test(name),
		),
	);
}

/** m:ss of a time in ms. */
export function clock(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
