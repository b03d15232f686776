/**
 * The rules of n8n's own package scan, which decides whether a community node can be verified, over the sources and the
 * packed files. That scan takes both from where they were published; here they are what lies on this computer, or the two
 * folders given: sources, then an unpacked package. Inline disables count for nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../dev/base/project';
import { pack, run } from '../dev/base/run';
import { inCache } from '../dev/n8n/cache';
import { npm } from '../dev/n8n/npm';

/** Only this command needs it, so it is fetched when it runs, into the cache where the real n8n is too. */
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
const installed = await inCache({
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

/** Packs what would be published into a folder, unpacked. */
async function unpackInto(folder: string): Promise<string> {
	const { filename } = await pack(`--pack-destination=${folder}`);
	await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
	return join(folder, 'package');
}

const temporary = mkdtempSync(join(tmpdir(), 'segmind-scan-'));
try {
	const [sources = ROOT, published = await unpackInto(temporary)] = process.argv.slice(2);
	const legs: Array<[name: string, folder: string, patterns: string[]]> = [
		['sources', sources, SOURCE_FILE_PATTERNS],
		['package', published, ['**/*.js', 'package.json']],
	];
	for (const [name, folder, patterns] of legs) {
		const { passed, message, details } = await analyzePackage(folder, patterns);
		// The scan takes an empty folder for a good one.
		const isGood = passed && message === undefined;
		console.log(`${name}: ${isGood ? 'no violation' : message}`);
		if (details) console.log(details);
		if (!isGood) process.exitCode = 1;
	}
} finally {
	rmSync(temporary, { recursive: true, force: true });
}
