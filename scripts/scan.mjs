/**
 * The rules of n8n's own package scan, which decides whether a community node can be verified, over the sources and the
 * packed files. That scan takes both from where they were published; here they are what lies on this computer, or the two
 * folders given: sources, then an unpacked package. Inline disables count for nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const ROOT = join(import.meta.dirname, '..');

/** Packs what would be published into a folder, unpacked. */
function unpackInto(folder) {
	const run = (command, words) =>
		execFileSync(command, words, {
			cwd: ROOT,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'inherit'],
		});
	const packed = run('npm', [
		'pack',
		'--json',
		'--ignore-scripts',
		'--loglevel=error',
		`--pack-destination=${folder}`,
	]);
	// npm 12 answers an object by name instead of a list.
	const [{ filename }] = Object.values(JSON.parse(packed));
	run('tar', ['-xzf', join(folder, filename), '-C', folder]);
	return join(folder, 'package');
}

const temporary = mkdtempSync(join(tmpdir(), 'segmind-scan-'));
try {
	const [sources = ROOT, published = unpackInto(temporary)] = process.argv.slice(2);
	const legs = [
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
