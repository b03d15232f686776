/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** What is installed: the manifest and the lock beside this file, and the Node that n8n needs. */
const MANIFEST = join(__dirname, 'n8n');
const FILES = ['package.json', 'package-lock.json'];
const NODE_VERSION = '24.9.0';
/** Compiled on this machine; everything else comes ready. */
const COMPILED = ['sqlite3', 'isolated-vm'];
/** To be told beforehand. */
const SIZE = '3 GB';
const TIME = '5 to 10 minutes';

/** A real n8n on this computer, with a Node of its own. Paths of files. */
export interface Installation {
	/** Version of n8n. */
	version: string;
	node: string;
	n8n: string;
}

/** Where n8n is kept between runs, for every clone of this repository. */
export function cacheFolder(): string {
	return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-segmind');
}

/**
 * Gives the n8n in the cache folder, and installs it first when it is not there. Nothing but the npm registry is asked.
 * `say` takes lines for the user. @throws Error with a sentence when it cannot be installed
 */
export async function preparedN8n(
	say: (line: string) => void,
	signal?: AbortSignal,
): Promise<Installation> {
	const lock = readFileSync(join(MANIFEST, 'package-lock.json'));
	const hash = createHash('sha256').update(lock).update(NODE_VERSION).digest('hex');
	const { version } = (
		JSON.parse(lock.toString()) as { packages: Record<string, { version: string }> }
	).packages['node_modules/n8n'];
	const folder = join(cacheFolder(), `n8n-${version}-${hash.slice(0, 8)}`);
	if (!isComplete(folder, hash)) await install(folder, hash, { version, say, signal });
	return {
		version,
		node: nodeIn(folder),
		n8n: join(folder, 'n8n', 'node_modules', 'n8n', 'bin', 'n8n'),
	};
}

/** The marker is written last, so an interrupted installation has none. */
function isComplete(folder: string, hash: string): boolean {
	const marker = join(folder, 'complete');
	return existsSync(marker) && readFileSync(marker, 'utf8') === hash;
}

interface Install {
	version: string;
	say: (line: string) => void;
	signal?: AbortSignal;
}

/** Into a folder that carries our process id; it gets its name once it is complete. */
async function install(folder: string, hash: string, { version, say, signal }: Install) {
	say(
		`Installing n8n ${version} with its own Node ${NODE_VERSION}, once for this computer: ${TIME} and ${SIZE} in ${folder}.`,
	);
	await mkdir(cacheFolder(), { recursive: true });
	await removeInterrupted();
	const unfinished = join(cacheFolder(), `installing-${process.pid}`);
	const startedAt = Date.now();
	try {
		await mkdir(join(unfinished, 'n8n'), { recursive: true });
		await mkdir(join(unfinished, 'node'));
		for (const file of FILES) await copyFile(join(MANIFEST, file), join(unfinished, 'n8n', file));
		await writeFile(join(unfinished, 'node', 'package.json'), '{ "private": true }');
		await npm(['install', `${nodePackage()}@${NODE_VERSION}`], join(unfinished, 'node'), {
			task: `Node ${NODE_VERSION}`,
			say,
			signal,
		});
		await npm(['install'], join(unfinished, 'n8n'), {
			task: `n8n ${version}`,
			say,
			signal,
		});
		await npm(['rebuild', ...COMPILED], join(unfinished, 'n8n'), {
			task: `compiling ${COMPILED.join(' and ')}`,
			say,
			signal,
			// Run by the Node that n8n will use, whose headers come with it.
			node: nodeIn(unfinished),
			env: {
				npm_config_ignore_scripts: 'false',
				npm_config_nodedir: join(unfinished, 'node', 'node_modules', nodePackage()),
				// Ready-made ones would be fetched from elsewhere than the registry.
				npm_config_build_from_source: 'true',
				JOBS: 'max',
			},
		});
		await writeFile(join(unfinished, 'complete'), hash);
		await rm(folder, { recursive: true, force: true });
		await rename(unfinished, folder);
	} finally {
		// There is none left once it has its name.
		await rm(unfinished, { recursive: true, force: true });
	}
	say(`n8n is installed (${clock(Date.now() - startedAt)}).`);
}

/** Removes what processes that were killed left behind. @throws when one is still at it */
async function removeInterrupted() {
	for (const name of await readdir(cacheFolder())) {
		const pid = /^installing-(\d+)$/.exec(name)?.[1];
		if (pid === undefined) continue;
		if (Number(pid) !== process.pid && isAlive(Number(pid)))
			throw new Error(
				`process ${pid} is installing n8n already: wait until it is done, or remove ${join(cacheFolder(), name)} if it is something else`,
			);
		await rm(join(cacheFolder(), name), { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** The npm package `node` would choose this one in an install script. */
function nodePackage(): string {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	return `node-${platform}-${process.arch}`;
}

function nodeIn(folder: string): string {
	const file = process.platform === 'win32' ? 'node.exe' : 'node';
	return join(folder, 'node', 'node_modules', nodePackage(), 'bin', file);
}

interface NpmTask {
	/** For the progress lines. */
	task: string;
	say: (line: string) => void;
	signal?: AbortSignal;
	node?: string;
	env?: Record<string, string>;
}

/** Runs npm and tells every 15 s how far it is. @throws Error with npm's own last lines */
async function npm(words: string[], cwd: string, { task, say, signal, node, env }: NpmTask) {
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
function clock(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
