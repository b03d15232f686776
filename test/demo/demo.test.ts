/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- runs the command as a user does */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { until } from '../helpers/until';

const ROW = /^ +(\d+) {2}([0-9a-f]{32}) {2}([A-Z]+) +(\$[\d.]+|-) +([\d.]+ s|-) {2}(\S*) *$/gm;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'segmind-demo-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Demo {
	child: ChildProcessWithoutNullStreams;
	/** What the demo has printed so far. */
	out: string;
	err: string;
	/** Resolves to the exit code. */
	exitCode: Promise<number>;
}

function start(args: string[]): Demo {
	const command = ['--import', 'tsx', join(ROOT, 'dev/demo/cli.ts'), '--out', folder];
	const child = spawn(process.execPath, [...command, ...args], { cwd: ROOT });
	const demo: Demo = {
		child,
		out: '',
		err: '',
		exitCode: once(child, 'close').then(([code]) => code as number),
	};
	child.stdout.on('data', (text: Buffer) => (demo.out += text.toString()));
	child.stderr.on('data', (text: Buffer) => (demo.err += text.toString()));
	return demo;
}

/** Returns the rows of the table that the demo has printed. */
function rowsOf({ out }: Demo) {
	return [...out.matchAll(ROW)].map(([, item, id, state, cost, time, file]) => {
		return { item, id, state, cost, time, file };
	});
}

test('makes the seven pictures of the examples and reports each one', async () => {
	const demo = start(['--job-seconds', '0.3']);
	expect([await demo.exitCode, demo.err]).toEqual([0, '']);

	const rows = rowsOf(demo);
	expect(rows.map(({ item }) => item)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
	expect(rows.map(({ cost }) => cost)).toEqual(['$0.0364', ...Array<string>(6).fill('$0.0055')]);
	for (const { id, state, time, file } of rows) {
		expect(state).toBe('COMPLETED');
		expect(time).toMatch(/ s$/);
		expect(file).toMatch(/^[0-9a-f]{6}\.png$/);
		expect(readFileSync(join(folder, file)).toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n');
		expect(demo.out).toContain(`request ${id} COMPLETED`);
	}
	expect(readdirSync(folder).sort()).toEqual(rows.map(({ file }) => file).sort());
	expect(demo.out).toMatch(/^7 requests: \$0\.0692 in [\d.]+ s\. Balance: \$99\.9308\.$/m);
	expect(demo.out).toContain('README.md');
});

test('Ctrl-C stops the demo and lists the requests that are still running', async () => {
	const demo = start(['--job-seconds', '60']);
	await until(() => demo.out.includes('QUEUED'));
	demo.child.kill('SIGINT');
	expect([await demo.exitCode, demo.err]).toEqual([130, '']);
	expect(rowsOf(demo)).toMatchObject([{ item: '1', state: 'QUEUED', file: '-' }]);
	expect(demo.out).toMatch(/^Stopped\. .* 1 unfinished requests? would keep running/m);
});

test("reports a setup that can't run in one sentence", async () => {
	const failures: Array<[Demo, RegExp]> = [
		[start(['--color', 'red']), /^error: unknown option '--color'\n$/],
		[start(['--job-seconds', 'many']), /^error: option '--job-seconds.*It must be a number.*\n$/],
		[start(['--out', '/dev/null']), /^The demo couldn't run: .*\/dev\/null.*\n$/],
	];
	for (const [demo, sentence] of failures) {
		expect(await demo.exitCode).toBe(1);
		expect(demo.err).toMatch(sentence);
		expect(demo.out).toBe('');
	}
});
