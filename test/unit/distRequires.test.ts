/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

// n8n deletes our dev and peer dependencies on installation, yet lint allows importing them
// (docs/n8n.md N240, N241): what dist requires must be there without them.
const ALLOWED = ['n8n-workflow', 'zod', 'node:crypto'];

const ROOT = resolve(__dirname, '../..');
const DIST = join(ROOT, 'dist');

interface Manifest {
	dependencies?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	files?: string[];
	n8n: { nodes: string[]; credentials: string[] };
}

interface LockFile {
	packages: Record<string, { resolved?: string }>;
}

const readJson = <T>(name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;

/** Every file below a folder, as absolute paths; none when the folder is missing. */
function filesBelow(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

/**
 * What a JavaScript text loads: the names given to `require()`, `import()`, `import` and `export
 * from`. A name that is not a plain text, or `require` handed on as a value, comes out as its code
 * in angle brackets: nothing can be said about what that loads.
 */
function requiresOf(code: string): string[] {
	const found: string[] = [];
	const record = (name: ts.Node | undefined, whole: ts.Node) =>
		found.push(name && ts.isStringLiteralLike(name) ? name.text : `<${whole.getText()}>`);
	const isLoader = (node: ts.Expression) =>
		node.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(node) && node.text === 'require');
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node) && isLoader(node.expression)) {
			record(node.arguments[0], node);
			node.arguments.forEach(visit);
			return;
		}
		if (ts.isImportDeclaration(node)) record(node.moduleSpecifier, node);
		else if (ts.isExportDeclaration(node) && node.moduleSpecifier)
			record(node.moduleSpecifier, node);
		else if (ts.isIdentifier(node) && node.text === 'require' && !isMemberName(node)) {
			record(undefined, node.parent);
		}
		ts.forEachChild(node, visit);
	};
	const isMemberName = (node: ts.Identifier) =>
		(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
		(ts.isPropertyAssignment(node.parent) && node.parent.name === node);
	visit(ts.createSourceFile('dist.js', code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS));
	return found;
}

/** Whether a relative name, required from a file of dist, is a file of dist. */
function isInDist(fromFile: string, name: string): boolean {
	const target = resolve(dirname(fromFile), name);
	return (
		target.startsWith(DIST + sep) &&
		['.js', '.json', `${sep}index.js`, ''].some((ending) => {
			const file = target + ending;
			return /\.js(on)?$/.test(file) && existsSync(file);
		})
	);
}

describe('requiresOf', () => {
	it.each([
		["const a = require('a'); require(`b`);", ['a', 'b']],
		["import('a'); import b from 'b'; export * from 'c';", ['a', 'b', 'c']],
		["// require('a')\nconst b = \"require('b')\"; c.require('d');", []],
		["if (x) { (() => require('deep'))() }", ['deep']],
		['require(name)', ['<require(name)>']],
		["require.resolve('a')", ['<require.resolve>']],
		['const r = require;', ['<r = require>']],
		["require(require('a'))", ["<require(require('a'))>", 'a']],
	])('reads %s', (code, names) => {
		expect(requiresOf(code)).toEqual(names);
	});
});

describe('dist', () => {
	const manifest = readJson<Manifest>('package.json');

	beforeAll(() => {
		if (!existsSync(DIST)) {
			throw new Error('There is no dist to check: run `npm run build` before the tests.');
		}
	});

	it('requires only what n8n has, node:crypto and its own files', () => {
		const scripts = filesBelow(DIST).filter((file) => file.endsWith('.js'));
		expect(scripts).not.toEqual([]);
		const wrong = scripts.flatMap((file) =>
			requiresOf(readFileSync(file, 'utf8'))
				.filter((name) => !ALLOWED.includes(name))
				.filter((name) => !(/^\.\.?\//.test(name) && isInDist(file, name)))
				.map((name) => `${relative(ROOT, file)} requires ${name}`),
		);
		expect(wrong).toEqual([]);
	});

	it('holds code, codex files and icons, nothing else', () => {
		const published = /^dist\/(nodes\/.+\.(js|json)|credentials\/.+\.js|icons\/.+\.svg)$/;
		const wrong = filesBelow(DIST)
			.map((file) => relative(ROOT, file).split(sep).join('/'))
			.filter((file) => !published.test(file));
		expect(wrong).toEqual([]);
	});

	it('has every node and credential that package.json names', () => {
		const entries = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
		expect(entries.filter((entry) => !existsSync(join(ROOT, entry)))).toEqual([]);
		expect(entries.filter((entry) => !entry.startsWith('dist/'))).toEqual([]);
	});

	it('has every codex file, as it was written, next to its node', () => {
		for (const file of filesBelow(join(ROOT, 'nodes')).filter((name) =>
			name.endsWith('.node.json'),
		)) {
			const copy = join(DIST, relative(ROOT, file));
			expect(readFileSync(copy, 'utf8')).toBe(readFileSync(file, 'utf8'));
			expect(existsSync(copy.replace(/json$/, 'js'))).toBe(true);
		}
	});

	it('has every schema of an output, as it was written', () => {
		const schemas = filesBelow(join(ROOT, 'nodes')).filter((name) => name.includes('__schema__'));
		expect(schemas).not.toEqual([]);
		for (const file of schemas)
			expect(readFileSync(join(DIST, relative(ROOT, file)), 'utf8')).toBe(
				readFileSync(file, 'utf8'),
			);
	});

	it('has both icons', () => {
		for (const name of ['segmind.svg', 'segmind.dark.svg']) {
			expect(readFileSync(join(DIST, 'icons', name), 'utf8')).toBe(
				readFileSync(join(ROOT, 'icons', name), 'utf8'),
			);
		}
	});
});

describe('package.json', () => {
	const manifest = readJson<Manifest>('package.json');

	it('has no run-time dependency, and n8n-workflow as the one peer', () => {
		expect(manifest.dependencies).toBeUndefined();
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('publishes dist only', () => {
		expect(manifest.files).toEqual(['dist']);
	});
});

describe('package-lock.json', () => {
	it('names no registry address, so that it installs from any', () => {
		const { packages } = readJson<LockFile>('package-lock.json');
		const resolved = Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined);
		expect(resolved.map(([name]) => name)).toEqual([]);
	});
});
