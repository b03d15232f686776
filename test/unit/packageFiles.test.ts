/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Icons and codex files, which the editor uses before a node is opened. What its panel finds beside n8n's own nodes has a test in a browser (test/browser/creator.ts). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sublimeSearch } from '@n8n/utils/search/sublime-search';

import { ROOT } from '../../dev/base/project';
import { TASKS } from '../../nodes/shared/catalogue/tasks';
import { darkIcon } from '../../scripts/darkIcon';

const icon = (name: string) => readFileSync(join(ROOT, 'icons', name), 'utf8');
const [LIGHT, DARK] = [icon('segmind.svg'), icon('segmind.dark.svg')];

test('the dark icon is the output of `gulp icons`, and shares no color with the light icon', () => {
	expect(DARK).toBe(darkIcon(LIGHT));
	const colors = (svg: string) => svg.match(/#[0-9a-f]{6}/gi) ?? [];
	expect(colors(LIGHT).length).toBeGreaterThan(0);
	for (const color of colors(DARK)) expect(colors(LIGHT)).not.toContain(color);
	expect(() => darkIcon('<path fill="#123456"/>')).toThrow('#123456');
});

test.each([
	['light', LIGHT],
	['dark', DARK],
])('the %s icon is 60 by 60 and loads nothing', (_name, svg) => {
	expect(svg).toContain('viewBox="0 0 60 60"');
	expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|href/);
});

const NODES = readdirSync(join(ROOT, 'nodes')).filter((name) =>
	existsSync(join(ROOT, `nodes/${name}/${name}.node.json`)),
);
const codexOf = (node: string) =>
	JSON.parse(readFileSync(join(ROOT, `nodes/${node}/${node}.node.json`), 'utf8')) as {
		alias: string[];
		categories: string[];
	};

const entries = NODES.map((node) => ({ displayName: node, codex: codexOf(node) }));
const KEYS = [
	{ key: 'displayName', weight: 1.3 },
	{ key: 'codex.alias', weight: 1 },
];

test.each([
	...['segmind image', 'segmind video', 'segmind text', 'generate picture', 'generate image'],
	...['elevenlabs', 'product photo', 'logo', 'talking avatar', 'resize image', 'photo', 'voice'],
	'virtual try on',
	'thumbnail',
	...TASKS.map(({ action }) => action),
])('a search for "%s" in the node panel finds the Segmind node first', (words) => {
	expect(sublimeSearch(words, entries, KEYS)[0]?.item.displayName).toBe('Segmind');
});

test('no alias is written twice', () => {
	const { alias } = codexOf('Segmind');
	expect(new Set(alias.map((word) => word.toLowerCase())).size).toBe(alias.length);
});

test('no node is in the category AI, which would put it behind all others beside a Chat Trigger', () => {
	expect(NODES.length).toBeGreaterThan(5);
	for (const node of NODES)
		expect([node, codexOf(node).categories]).not.toContainEqual(expect.arrayContaining(['AI']));
});
