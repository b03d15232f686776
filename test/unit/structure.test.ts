/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Folders depend on each other in one direction only, types included. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import ts, { preProcessFile } from 'typescript';

import { ROOT } from '../../dev/base/project';
import { filesBelow } from '../helpers/filesBelow';

/** Folders below nodes/shared. Each folder may import from the folders before it. */
const SHARED =
	'base errors service catalogue journal parameters run media inputs output request manage items descriptions'.split(
		' ',
	);

/** Folders of dev, and the other folders from which each may import. */
const DEV: Record<string, string[]> = {
	base: [],
	catalogue: ['base'],
	emulator: ['base', 'catalogue'],
	engine: ['base'],
	simulation: ['emulator'],
	n8n: ['base', 'emulator'],
	demo: ['base', 'emulator', 'engine'],
	live: ['base', 'catalogue', 'demo', 'engine'],
	test: ['base', 'n8n'],
	bench: ['base', 'emulator', 'engine', 'simulation', 'n8n'],
};

/** An import of one file by another, both relative to the root and without their extension. */
interface Import {
	from: string;
	to: string;
}

function importsOf(folder: string): Import[] {
	return filesOf(folder).flatMap((from) =>
		preProcessFile(readFileSync(join(ROOT, from), 'utf8'), true, true)
			.importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
			.map(({ fileName }) => ({
				from: withoutEnd(from),
				to: resolveIndex(posix.join(posix.dirname(from), fileName)),
			})),
	);
}

/** Returns the modules below a folder, relative to the root. */
function filesOf(folder: string): string[] {
	return filesBelow(folder).filter((file) => /\.[cm]?[jt]s$/.test(file));
}

function withoutEnd(file: string): string {
	return file.replace(/\.\w+$/, '');
}

/** Returns the path of a folder's index for the folder, and otherwise the path without its extension. */
function resolveIndex(path: string): string {
	return existsSync(join(ROOT, path, 'index.ts'))
		? `${path}/index`
		: path.replace(/\.[cm]?js$/, '');
}

/** Returns the folder below `parent` that contains a file, or undefined if the file is elsewhere. */
function folderIn(parent: string, file: string): string | undefined {
	return file.startsWith(`${parent}/`) ? file.slice(parent.length + 1).split('/')[0] : undefined;
}

/** Returns the imports that aren't allowed, as `file -> file`. */
function forbiddenImports(imports: Import[], isAllowed: (one: Import) => boolean): string[] {
	return imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} -> ${to}`);
}

const published = [...importsOf('nodes'), ...importsOf('credentials')];
const development = importsOf('dev');
const tests = importsOf('test');

test('every folder below dev is in the list above', () => {
	expect(Object.keys(DEV)).toEqual(expect.arrayContaining(foldersOf('dev')));
});

function foldersOf(path: string): string[] {
	return readdirSync(join(ROOT, path), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name);
}

/** Folders below nodes/shared/request; `.` stands for its own files. Each folder may import from the folders before it. */
const REQUEST = 'poll . operations'.split(' ');

test.each([
	['nodes/shared', SHARED],
	['nodes/shared/request', REQUEST],
])('imports below %s go one way', (base, order) => {
	expect(order).toEqual(expect.arrayContaining(foldersOf(base)));
	const place = (file: string) => {
		const folder = folderIn(base, file) ?? '';
		return order.indexOf(folder === posix.basename(file) ? '.' : folder);
	};
	const within = published.filter(({ from, to }) => place(from) >= 0 && place(to) >= 0);
	expect(within).not.toEqual([]);
	expect(forbiddenImports(within, ({ from, to }) => place(to) <= place(from))).toEqual([]);
});

test('no two types or functions share a name, exported or not, and no two files', () => {
	const files = ['nodes', 'credentials'].flatMap(filesOf);
	const names = files.flatMap(typesAndFunctionsIn);
	expect(names.length).toBeGreaterThan(800);
	expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
	const titles = files.map((file) => posix.basename(file));
	expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
});

/** Returns the names of the types and functions at the top of a file, also of those that are constants. */
function typesAndFunctionsIn(file: string): string[] {
	const text = readFileSync(join(ROOT, file), 'utf8');
	const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
	return statements.flatMap((statement) => {
		const declarations = ts.isVariableStatement(statement)
			? statement.declarationList.declarations.filter(({ initializer }) => isFunction(initializer))
			: [statement as ts.Statement & { name?: ts.Node }];
		return declarations.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []));
	});
}

function isFunction(node: ts.Node | undefined): boolean {
	return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
}

test('every export is imported by another file', () => {
	const files = ['nodes', 'credentials', 'dev', 'test', 'scripts'].flatMap(filesOf);
	const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
	const imported = new Set([...texts].flatMap(([file, text]) => namesImportedBy(file, text)));
	const exported = [...texts]
		// n8n loads the nodes and credentials by their paths.
		.filter(
			([file]) =>
				/^(nodes|credentials|dev)\//.test(file) && !/\.(node|credentials)\.ts$/.test(file),
		)
		.flatMap(([file, text]) => namesExportedBy(text).map((name) => `${withoutEnd(file)} ${name}`));
	const isImported = (one: string) => imported.has(one) || imported.has(one.replace(/ \w+$/, ' *'));
	expect(exported.filter(isImported).length).toBeGreaterThan(300);
	expect(exported.filter((one) => !isImported(one))).toEqual([]);
});

/** Returns the names that a file exports, types included. */
function namesExportedBy(text: string): string[] {
	const declaration =
		/^export (?:abstract |async )?(?:interface|type|class|enum|const|let|function\*?) (\w+)/gm;
	const declared = [...text.matchAll(declaration)].map(([, name]) => name);
	const listed = [...text.matchAll(/^export (?:type )?(\{[^}]*\})/gm)];
	return [...declared, ...listed.flatMap(([, list]) => namesIn(list))];
}

/** Returns the names that a file imports from others, each as `file name`; `*` stands for all names. */
function namesImportedBy(file: string, text: string): string[] {
	const statement =
		/(?:import|export|const) (?:type )?(\{[^}]*\}|\*(?: as \w+)?)(?: from |\s*=\s*await import\()'(\.[^']*)'/g;
	return [...text.matchAll(statement)].flatMap(([, list, path]) => {
		const from = resolveIndex(posix.join(posix.dirname(file), path));
		return (list.startsWith('*') ? ['*'] : namesIn(list)).map((name) => `${from} ${name}`);
	});
}

/** Returns the names in the braces of an import or export. */
function namesIn(list: string): string[] {
	return [...list.matchAll(/[{,]\s*(?:type )?(\w+)/g)].map(([, name]) => name);
}

/** The file that asks for a parameter of the node, not of an item: which operation it has. */
const READS_NODE = 'nodes/shared/items/operation.ts';

test('only ItemParameters reads the parameters of an item', () => {
	const readers = filesOf('nodes')
		// Triggers have no items.
		.filter((file) => !/^nodes\/\w+Trigger\//.test(file))
		.filter((file) => /\bgetNodeParameter\(/.test(readFileSync(join(ROOT, file), 'utf8')));
	const reader = 'nodes/shared/parameters/itemParameters.ts';
	expect(readers.sort()).toEqual([READS_NODE, reader].sort());
});

test('shared code imports no node, and no node imports another', () => {
	const node = (file: string) => folderIn('nodes', file);
	const ofNodes = published.filter(({ to }) => (node(to) ?? 'shared') !== 'shared');
	expect(forbiddenImports(ofNodes, ({ from, to }) => node(from) === node(to))).toEqual([]);
});

test('what only one node uses, or only the credentials, is in its folder and not in shared', () => {
	const users = new Map<string, Set<string>>();
	for (const { from, to } of published) {
		const user = folderIn('nodes', from) ?? 'credentials';
		if (folderIn('nodes', to) === 'shared') users.set(to, (users.get(to) ?? new Set()).add(user));
	}
	expect(users.size).toBeGreaterThan(50);
	const ofOne = [...users].filter(([, folders]) => folders.size === 1 && !folders.has('shared'));
	expect(ofOne.map(([file]) => file)).toEqual([]);
});

test('published code imports no unpublished code', () => {
	expect(forbiddenImports(published, ({ to }) => /^(nodes|credentials)\//.test(to))).toEqual([]);
});

test.each(Object.entries({ published, development, tests }))(
	'no import cycles: %s',
	(_what, imports) => {
		// Remove imports of files that import nothing, again and again, until no import is left or only imports that lead into cycles are.
		let rest = imports.filter(({ to }) => imports.some(({ from }) => from === to));
		for (let before = Infinity; rest.length < before; ) {
			before = rest.length;
			const importing = new Set(rest.map(({ from }) => from));
			rest = rest.filter(({ to }) => importing.has(to));
		}
		expect(rest.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
	},
);

test('dev imports no test, and its folders import only from the folders listed above', () => {
	const backwards = forbiddenImports(development, ({ from, to }) => {
		const [importing, imported] = [folderIn('dev', from), folderIn('dev', to)];
		if (imported === undefined) return /^(nodes|credentials)\//.test(to);
		return importing === imported || (DEV[importing ?? ''] ?? []).includes(imported);
	});
	expect(backwards).toEqual([]);
});

test('a suite imports only its own files and test/helpers, which imports no suite', () => {
	const within = tests.filter(({ to }) => to.startsWith('test/'));
	const suite = (file: string) => folderIn('test', file);
	expect(
		forbiddenImports(
			within,
			({ from, to }) => suite(to) === 'helpers' || suite(from) === suite(to),
		),
	).toEqual([]);
});
