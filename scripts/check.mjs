/** `npm run check`: the checks that run no test. They run side by side, and each to its end, so that one run tells all there is to mend. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The npm scripts, the slowest first. */
const waiting = ['lint', 'typecheck', 'structure', 'format:check', 'spell'];

async function work() {
	for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
}

/** Runs an npm script, and shows what it says when it has ended. */
async function run(name) {
	const startedAt = Date.now();
	const args = ['run', '--silent', name];
	const options = { shell: process.platform === 'win32', maxBuffer: Infinity };
	await new Promise((resolve) => {
		execFile('npm', args, options, (error, stdout, stderr) => {
			// n8n's lint ends well with warnings.
			const isRed = error !== null || /[1-9]\d* warnings?\b/.test(stdout);
			const seconds = Math.round((Date.now() - startedAt) / 1000);
			console.log(`${stdout}${stderr}${name} ${isRed ? 'failed' : 'passed'} after ${seconds} s`);
			if (isRed) process.exitCode = 1;
			resolve();
		});
	});
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
