/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** Checks that the files, headings, commands, identifiers and numbered facts that pages and comments refer to exist, and the figures in README.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { Marked, type Token } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';

import n8nManifest from '../../dev/n8n/manifest/package.json';
import { findModel } from '../../nodes/shared/catalogue';
import { TASKS } from '../../nodes/shared/catalogue/tasks';
import { CREDENTIAL_TYPES } from '../helpers/packageNodes';

const ROOT = join(__dirname, '..', '..');
/** Folders at the root that aren't part of the project. */
const FOREIGN = ['node_modules', 'dist', 'out', 'output', 'coverage', 'tmp', 'test-results'];

const FILES = filesBelow('');
const PAGES = FILES.filter((path) => path.endsWith('.md'));
const SOURCES = FILES.filter((path) => /\.(ts|mts|js|mjs|cjs)$/.test(path));

/** The facts that each page defines. */
const FACTS: Record<string, string[]> = {
	'docs/service.md': factsOf('docs/service.md', 'S'),
	'docs/n8n.md': factsOf('docs/n8n.md', 'N'),
};

test('the facts that comments and pages cite exist', () => {
	const cited = [...SOURCES, ...PAGES].flatMap((path) =>
		citationsIn(textOf(path)).map(({ page, ids }) => ({ path, page, ids })),
	);
	const missing = cited.flatMap(({ path, page, ids }) =>
		ids.filter((id) => !FACTS[page].includes(id)).map((id) => `${path}: ${page} ${id}`),
	);
	expect(missing).toEqual([]);
});

test('the pages that comments name exist', () => {
	const named = SOURCES.flatMap((path) =>
		[...textOf(path).matchAll(/\b(docs\/[\w-]+\.md|[A-Z]{5,}\.md)\b/g)].map(([page]) => page),
	);
	expect([...new Set(named)].filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
	const text = textOf(page);

	test('links to files and headings that exist', () => {
		expect(parse(page).links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
	});

	test('names commands and paths that exist', () => {
		const scripts = Object.keys(
			(JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts,
		);
		const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
		expect(commands.filter((name) => !scripts.includes(name))).toEqual([]);
		const paths = [...text.matchAll(/`((?:nodes|dev|test|docs|examples|scripts)\/[\w./-]+)`/g)];
		expect(paths.map(([, path]) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual(
			[],
		);
	});
});

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])(
	'%s names files, folders and identifiers that exist',
	(page) => {
		const code = FILES.filter((path) => /\.(ts|mts|js|mjs|cjs|yml)$/.test(path)).map(textOf);
		const words = new Set(code.flatMap((text) => text.match(/\w+/g)));
		const prose = textOf(page).replace(/^```[^]*?^```$/gm, '');
		const names = [...prose.matchAll(/`\[?(\w[\w./-]*|\.ci\/\w+)\]?`/g)].map(([, name]) => name);
		expect(names.length).toBeGreaterThan(50);
		const exists = (name: string) =>
			/\/|\.(ts|mjs|json|md|yml)$/.test(name)
				? isFileOrFolder(name)
				: name.split('.').every((word) => words.has(word));
		const missing = names.filter((name) => !exists(name));
		// What commands make isn't in the repository.
		expect(missing.filter((name) => !FOREIGN.includes(name.split('/')[0]))).toEqual([]);
	},
);

describe('the help links of the editor', () => {
	const { homepage } = JSON.parse(textOf('package.json')) as { homepage: string };
	const address = homepage.replace('#readme', '/blob/main/');
	const codexFiles = FILES.filter((path) => path.endsWith('.node.json'));
	const linksOf = (path: string) => {
		const { resources } = JSON.parse(textOf(path)) as {
			resources: Record<'primaryDocumentation' | 'credentialDocumentation', [{ url: string }]>;
		};
		return [resources.primaryDocumentation[0].url, resources.credentialDocumentation[0].url];
	};

	test.each(codexFiles)('%s leads to the page with the section about its node', (path) => {
		const section = dirname(path)
			.replace('nodes/', '')
			.replace(/(?<!^)[A-Z]/g, '-$&');
		const link = `${linksOf(path)[0]}#${section.toLowerCase()}`;
		expect(leadsSomewhere('README.md', link.slice(address.length))).toBe(true);
	});

	test('each is a page of the repository that package.json names, without an anchor, after which n8n would add its parameters', () => {
		const links = [
			...codexFiles.flatMap(linksOf),
			...CREDENTIAL_TYPES.map(({ documentationUrl = '' }) => documentationUrl),
		];
		expect(links).toHaveLength(20);
		const isDead = (link: string) =>
			!link.startsWith(address) ||
			link.includes('#') ||
			!leadsSomewhere('README.md', link.slice(address.length));
		expect(links.filter(isDead)).toEqual([]);
	});
});

describe('README.md', () => {
	const readme = textOf('README.md');

	test('says before the installation what has not been checked, as long as the package is not released', () => {
		// Delete this test when package.json names the real repository.
		const [, , second, next] = readme.split(/\n\n+/);
		expect([second, textOf('CHANGELOG.md')]).toEqual([
			expect.stringMatching(/^\*\*Not released yet.*checking-the-live-service/),
			expect.stringContaining('Nothing has been released yet'),
		]);
		expect(next).toBe('## Install');
	});

	test('names the versions of n8n, the prices and the times that the tests and the catalogue have', () => {
		const [oldest] = readdirSync(join(ROOT, 'dev/n8n/engines')).sort();
		expect(oldest).toMatch(new RegExp(`^${/n8n ([\d.]+) or newer/.exec(readme)?.[1]}\\.`));
		const tested = /tested up to ([\d.]+\d)/.exec(readme)?.[1];
		expect(n8nManifest.dependencies.n8n).toBe(tested);
		const figures = readme.matchAll(/about (\d+) seconds and costs about (\d+) cents/g);
		const published = ['Generate an image', 'Generate a video'].map((action) => {
			const task = TASKS.find((candidate) => candidate.action === action);
			const { cost = 0, latencySeconds = 0 } = findModel(task?.defaultModel ?? '') ?? {};
			return [latencySeconds, cost * 100].map((figure) => String(Math.round(figure)));
		});
		expect([...figures].map(([, ...pair]) => pair)).toEqual(published);
	});
});

test('docs/nodes.md names the tasks that need a file', () => {
	const [, names = ''] = /^\| (.*) \| it fails before/m.exec(textOf('docs/nodes.md')) ?? [];
	const tasks = TASKS.filter(({ needsFile, question }) => needsFile ?? question);
	const named = [...names.matchAll(/_(?:Image: )?(.*?)_/g)].map(([, name]) => name);
	expect(named.sort()).toEqual(tasks.map(({ name }) => name).sort());
});

function textOf(path: string): string {
	return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the paths of the project's files below a folder, relative to the root. */
function filesBelow(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (FOREIGN.includes(path) || entry.isSymbolicLink()) return [];
		if (!entry.isDirectory()) return [path];
		return entry.name.startsWith('.') && entry.name !== '.github' ? [] : filesBelow(path);
	});
}

/** Whether a name is a path from the root, or the end of one. */
function isFileOrFolder(name: string): boolean {
	if (existsSync(join(ROOT, name))) return true;
	return FILES.some((path) => `/${path}`.endsWith(`/${name}`) || path.includes(`/${name}/`));
}

/** Returns the facts that a page defines, at the start of a list item or of a table row. */
function factsOf(page: string, letter: string): string[] {
	const defined = new RegExp(`^(?:- |\\| )\\*\\*(${letter}\\d+)\\*\\*`, 'gm');
	return [...textOf(page).matchAll(defined)].map(([, id]) => id);
}

interface Citation {
	page: string;
	ids: string[];
}

/** Returns the facts that a text cites, even across the line breaks of a comment. */
function citationsIn(text: string): Citation[] {
	const inOneLine = text.replace(/\n\s*(\*|\/\/)? ?/g, ' ');
	const cited = /(docs\/(?:service|n8n)\.md)((?:(?:,| to| and|,? or)? [SN]\d+\b)+)/g;
	return [...inOneLine.matchAll(cited)].map(([, page, list]) => ({
		page,
		ids: list.match(/[SN]\d+/g) ?? [],
	}));
}

function leadsSomewhere(page: string, link: string): boolean {
	if (/^(https?|mailto):/.test(link)) return true;
	const [path, heading] = link.split('#');
	const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
	if (target.startsWith('..') || !existsSync(join(ROOT, target))) return false;
	return heading === undefined || parse(target).headings.includes(heading);
}

/** Returns the targets of a page's links and pictures, and the anchors that GitHub gives to its headings. */
function parse(page: string): { links: string[]; headings: string[] } {
	const links: string[] = [];
	const walkTokens = (token: Token) => {
		if (token.type === 'link' || token.type === 'image') links.push(token.href as string);
	};
	new Marked(gfmHeadingId(), { walkTokens }).parse(textOf(page));
	return { links, headings: getHeadingList().map(({ id }) => id) };
}
