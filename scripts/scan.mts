/**
 * Runs n8n's own package scan, which decides whether a community node can be verified, on the sources and on the packed files. n8n scans published
 * packages; this script scans the files on this computer, or two folders from the arguments: sources, then an unpacked package. The scan ignores
 * inline lint disables.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ensureBuilt } from '../dev/base/build';
import { ROOT } from '../dev/base/project';
import { pack, run } from '../dev/base/run';
import { ensureCached } from '../dev/n8n/cache';
import { npm } from '../dev/n8n/npm';

/** Only this command needs the scanner, so it's installed when the command runs, in the cache that also has the real n8n. */
const SCANNER = '@n8n/scan-community-package';
const VERSION = '0.32.0';

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const say = console.log;
await ensureBuilt(say);
const installed = await ensureCached({
	name: 'scanner',
	hash: VERSION,
	what: `${SCANNER} ${VERSION}`,
	say,
	fill: async (folder) =>
		await npm(['install', '--prefix', folder, `${SCANNER}@${VERSION}`], folder, { say }),
});
const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(
	pathToFileURL(join(installed, 'node_modules', SCANNER, 'scanner/scanner.mjs')).href
)) as Scanner;

/** Packs the files that would be published, and unpacks them into a folder. */
async function unpackInto(folder: string): Promise<string> {
	const { filename } = await pack(`--pack-destination=${folder}`);
	await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
	return join(folder, 'package');
}

const temporary = mkdtempSync(join(tmpdir(), 'segmind-scan-'));
try {
	const [sources = ROOT, published = await unpackInto(temporary)] = process.argv.slice(2);
	const scans: Array<[name: string, folder: string, patterns: string[]]> = [
		['sources', sources, SOURCE_FILE_PATTERNS],
		['package', published, ['**/*.js', 'package.json']],
	];
	for (const [name, folder, patterns] of scans) {
		const { passed, message, details } = await analyzePackage(folder, patterns);
		// The scan passes an empty folder, but with a message.
		const isGood = passed && message === undefined;
		console.log(`${name}: ${isGood ? 'no violation' : message}`);
		if (details) console.log(details);
		if (!isGood) process.exitCode = 1;
	}
} finally {
	rmSync(temporary, { recursive: true, force: true });
}
