/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

interface NpmTask {
	/** For the progress lines. */
	task: string;
	say: (line: string) => void;
	signal?: AbortSignal;
	node?: string;
	env?: Record<string, string>;
}

/** Runs npm and tells every 15 s how far it is. @throws Error with npm's own last lines */
export async function npm(words: string[], cwd: string, { task, say, signal, node, env }: NpmTask) {
	const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'];
	// A rebuild is nothing but scripts.
	const allFlags = env ? flags.slice(1) : flags;
	const startedAt = Date.now();
	let fetched = 0;
	let log = '';
	const running = setInterval(() => {
		const packages = fetched > 0 ? `, ${fetched} packages fetched` : '';
		say(`  ${task}: ${clock(Date.now() - startedAt)}${packages}`);
	}, 15_000);
	try {
		const code = await new Promise<number | null>((resolve, reject) => {
			const child = spawn(node ?? process.execPath, [npmScript(), ...words, ...allFlags], {
				cwd,
				signal,
				stdio: ['ignore', 'pipe', 'pipe'],
				env: { ...outsideNpm(), ...env },
			});
			const read = (chunk: Buffer) => {
				const text = chunk.toString();
				fetched += text.match(/fetch GET 200 \S+\.tgz/g)?.length ?? 0;
				log = (log + text).slice(-20_000);
			};
			child.stdout.on('data', read);
			child.stderr.on('data', read);
			child.once('error', reject);
			child.once('close', resolve);
		});
		if (code !== 0) {
			const complaints = log.match(/^npm (error|ERR!).*$/gm) ?? log.split('\n');
			throw new Error(
				`npm could not install ${task}; it says:\n${complaints.slice(-25).join('\n')}`,
			);
		}
	} finally {
		clearInterval(running);
	}
}

/** npm's own script; `npm run` names it, and otherwise it lies beside Node. */
function npmScript(): string {
	const { npm_execpath: told } = process.env;
	if (told && basename(told) === 'npm-cli.js') return told;
	const beside = ['../lib/node_modules', 'node_modules', '../share/nodejs']
		.map((path) => join(process.execPath, '..', path, 'npm', 'bin', 'npm-cli.js'))
		.find((path) => existsSync(path));
	if (beside === undefined) throw new Error('npm was not found: start this with npm run');
	return beside;
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
