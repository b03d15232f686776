/** Adds up jest's reports, one for each suite: `node scripts/tally.mjs FILE…` prints `N passed, N failed` as its last line. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const sum = { passed: 0, failed: 0 };
for (const file of process.argv.slice(2)) {
	const { passed, failed, skipped } = countsOf(file);
	console.log(`${basename(file, '.json')}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
	sum.passed += passed;
	sum.failed += failed;
}
console.log(`${sum.passed} passed, ${sum.failed} failed`);
if (sum.failed > 0) process.exitCode = 1;

function countsOf(file) {
	// A suite that wrote no report has failed.
	if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
	const report = JSON.parse(readFileSync(file, 'utf8'));
	return {
		passed: report.numPassedTests,
		// A file that could not be run has no tests to count.
		failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
		skipped: report.numPendingTests,
	};
}
