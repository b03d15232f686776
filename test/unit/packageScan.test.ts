/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
/** The rules by which n8n verifies a community package, over the sources and over what `npm pack` makes of dist. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

function scan(...folders: string[]): { status: number | null; said: string } {
	// Under jest's NODE_ENV the rules take every file for one of their own test cases.
	const env = { ...process.env, NODE_ENV: 'production' };
	const words = [join(ROOT, 'scripts', 'scan.mjs'), ...folders];
	const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
	return { status, said: stdout + stderr };
}

test('the sources and the packed package violate no rule of the package scan', () => {
	expect(scan()).toEqual({ status: 0, said: 'sources: no violation\npackage: no violation\n' });
});

describe('what it must find', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'segmind-scanned-'));
		mkdirSync(join(folder, 'nodes', 'Bad'), { recursive: true });
		cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	test.each([
		[
			'a forbidden module, also under an inline disable',
			"// eslint-disable-next-line\nimport { readFileSync } from 'node:fs';\nexport const key = readFileSync;\n",
		],
		['the environment', 'export const key = process.env.KEY;\n'],
	])('%s', (_what, code) => {
		writeFileSync(join(folder, 'nodes', 'Bad', 'Bad.node.ts'), code);
		const { status, said } = scan(folder, folder);
		expect(said).toContain('sources: ESLint violations found');
		expect(status).toBe(1);
	});

	test('nothing to look at', () => {
		rmSync(join(folder, 'package.json'));
		expect(scan(folder, folder)).toMatchObject({
			status: 1,
			said: expect.stringContaining('package: No files') as string,
		});
	});
});
