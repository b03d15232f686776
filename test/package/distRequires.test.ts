/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/**
 * The published package needs no dependencies: n8n deletes our dev and peer dependencies on installation, but lint allows importing them
 * (docs/n8n.md N240, N241).
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import ts from 'typescript';

import { ROOT } from '../../dev/base/project';
import { filesBelow } from '../helpers/filesBelow';

const ALLOWED = ['n8n-workflow', 'zod', 'node:crypto'];
const DIST = join(ROOT, 'dist');

interface Manifest {
	dependencies?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	files?: string[];
	n8n: { nodes: string[]; credentials: string[] };
}

const read = (path: string) => readFileSync(path, 'utf8');
const readJson = <T>(name: string) => JSON.parse(read(join(ROOT, name))) as T;

/** Whether a name that a file of dist requires is relative and leads to a file of dist. */
function isInDist(from: string, name: string): boolean {
	const target = resolve(ROOT, dirname(from), name);
	const files = ['.js', '.json', '/index.js', ''].map((suffix) => target + suffix);
	const isModule = (file: string) => /\.js(on)?$/.test(file) && existsSync(file);
	return /^\.\.?\//.test(name) && target.startsWith(DIST + sep) && files.some(isModule);
}

describe('the published package', () => {
	const manifest = readJson<Manifest>('package.json');

	it('consists of dist, without runtime dependencies, and with n8n-workflow as the only peer dependency', () => {
		expect(manifest.dependencies).toBeUndefined();
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		expect(manifest.files).toEqual(['dist']);
	});

	it('requires only modules that n8n has, node:crypto and its own files [n8n 3]', () => {
		const scripts = filesBelow('dist').filter((file) => file.endsWith('.js'));
		expect(scripts).not.toEqual([]);
		const forbidden = scripts.flatMap((file) =>
			ts
				.preProcessFile(read(join(ROOT, file)), true, true)
				.importedFiles.map(({ fileName }) => fileName)
				.filter((name) => !ALLOWED.includes(name) && !isInDist(file, name))
				.map((name) => `${file} requires ${name}`),
		);
		expect(forbidden).toEqual([]);
	});

	it("names no host but Segmind's, that of its own pages and an example [Secrets 1]", () => {
		const scripts = filesBelow('dist').filter((file) => file.endsWith('.js'));
		const hosts = scripts.flatMap((file) =>
			[...read(join(ROOT, file)).matchAll(/https?:\/\/([\w.-]*\w)/g)].map(([, host]) => host),
		);
		const isSegmind = (host: string) => /(^|\.)segmind\.com$/.test(host);
		const pages = new URL(readJson<{ homepage: string }>('package.json').homepage).host;
		const others = hosts.filter((host) => !isSegmind(host));
		expect([...new Set(others)].sort()).toEqual(['example.com', pages].sort());
	});

	it('contains only code, codex files, schemas and icons, and everything that package.json names', () => {
		const files = filesBelow('dist');
		const published =
			/^dist\/(package\.json|nodes\/.+\.(js|json)|credentials\/.+\.js|icons\/.+\.svg)$/;
		expect(files.filter((file) => !published.test(file))).toEqual([]);
		expect(files).toEqual(
			expect.arrayContaining([...manifest.n8n.nodes, ...manifest.n8n.credentials]),
		);
		const copied = [...filesBelow('nodes'), ...filesBelow('icons')].filter((file) =>
			/\.node\.json$|\.svg$/.test(file),
		);
		expect(copied).not.toEqual([]);
		for (const file of copied) expect(read(join(DIST, file))).toBe(read(join(ROOT, file)));
	});
});

it('package-lock.json names no registry address, so that npm can install from any registry', () => {
	const { packages } = readJson<{ packages: Record<string, { resolved?: string }> }>(
		'package-lock.json',
	);
	const resolved = Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined);
	expect(resolved.map(([name]) => name)).toEqual([]);
});
