/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Icons, which the editor shows before a node is opened. Its codex files have their test in a browser (test/browser/creator.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
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
