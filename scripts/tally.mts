/**
 * Adds up jest's reports, one for each suite: `node --import tsx scripts/tally.mts FILE…` prints `N passed, N failed` as its last line. A report is named
 * after the npm script of its suite. A suite without a report has failed, and so has each test file that its report lacks.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ROOT } from '../dev/base/project';
import { foldersOf, splitArgs } from '../dev/test/suites';

interface Report {
	numPassedTests: number;
	numFailedTests: number;
	/** Files that could not be run; they have no tests to count. */
	numRuntimeErrorTestSuites: number;
	numPendingTests: number;
	testResults: Array<{ name: string }>;
}

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	scripts: Record<string, string>;
};
const sum = { passed: 0, failed: 0 };
for (const file of process.argv.slice(2)) {
	const { passed, failed, skipped } = countsOf(file);
	console.log(`${basename(file, '.json')}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
	sum.passed += passed;
	sum.failed += failed;
}
console.log(`${sum.passed} passed, ${sum.failed} failed`);
if (sum.failed > 0) process.exitCode = 1;

function countsOf(file: string) {
	if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
	const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
	const missing = missingFiles(basename(file, '.json'), report);
	for (const path of missing) console.log(`did not run: ${path}`);
	return {
		passed: report.numPassedTests,
		failed: report.numFailedTests + report.numRuntimeErrorTestSuites + missing.length,
		skipped: report.numPendingTests,
	};
}

/** Returns the test files of a script's suites that aren't in its report. */
function missingFiles(script: string, { testResults }: Report): string[] {
	const [, words = ''] = /dev\/test\/cli\.ts ?(.*)/.exec(scripts[script] ?? '') ?? [];
	const ran = new Set(testResults.map(({ name }) => name));
	return foldersOf(splitArgs(words.split(' ')).suites)
		.map((folder) => join(ROOT, folder))
		.flatMap((folder) =>
			readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
		)
		.filter((path) => path.endsWith('.test.ts') && !ran.has(path));
}
