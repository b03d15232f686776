/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
/** The package is published only from the repository that package.json names, and only with pinned actions. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'segmind-identity-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the check that precedes publishing, in a repository with this package.json. */
function check(repository: string | undefined, packageFile = join(ROOT, 'package.json')) {
	const env = { ...process.env, GITHUB_REPOSITORY: repository };
	const script = join(ROOT, 'scripts/checkIdentity.mjs');
	const args = [script, packageFile];
	const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
	return { status, stderr };
}

function writePackageFile(owner: string): string {
	const file = join(folder, 'package.json');
	const address = `https://github.com/${owner}/n8n-nodes-segmind`;
	const repository = { type: 'git', url: `git+${address}.git` };
	writeFileSync(file, JSON.stringify({ repository, homepage: `${address}#readme` }));
	return file;
}

test('a package that names its repository may be published from there, and from nowhere else', () => {
	const file = writePackageFile('someone');
	expect(check('someone/n8n-nodes-segmind', file)).toEqual({ status: 0, stderr: '' });
	const other = check('somebody-else/n8n-nodes-segmind', file);
	expect(other.status).toBe(1);
	expect(other.stderr).toContain('https://github.com/somebody-else/n8n-nodes-segmind');
	expect(check(undefined, file).status).toBe(1);
});

test('the placeholder in package.json is rejected everywhere', () => {
	const { repository, homepage } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
		repository: { url: string };
		homepage: string;
	};
	// Delete this test when package.json names the real repository.
	expect([repository.url, homepage].map((url) => url.includes('repository.invalid'))).toEqual([
		true,
		true,
	]);
	expect(check('repository.invalid/n8n-nodes-segmind').status).toBe(1);
});

const workflows = join(ROOT, '.github/workflows');
const workflowTexts = readdirSync(workflows).map((file) =>
	readFileSync(join(workflows, file), 'utf8'),
);

test('the workflows pin actions by commit, and name their versions', () => {
	const used = workflowTexts.flatMap((text) =>
		[...text.matchAll(/uses: (.*)/g)].map(([, what]) => what),
	);
	expect(used.length).toBeGreaterThan(0);
	for (const what of used) expect(what).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('no checkout leaves its token where the code that it runs could read it', () => {
	for (const text of workflowTexts)
		expect(text.match(/persist-credentials: false/g)?.length).toBe(
			text.match(/actions\/checkout@/g)?.length,
		);
});

test('only the job that publishes has an identity token, and it runs no code of this repository', () => {
	const text = readFileSync(join(workflows, 'publish.yml'), 'utf8');
	const [before, publishing] = text.split('\n  publish:\n');
	expect(before).not.toContain('id-token');
	expect(publishing).toContain('id-token: write');
	expect(publishing).not.toMatch(/checkout|npm (install|ci|run|test)|scripts\//);
});
