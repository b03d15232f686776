/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { darkIcon } from '../../scripts/darkIcon';

const icon = (name: string) => readFileSync(join(__dirname, '../../icons', name), 'utf8');

describe('the dark icon', () => {
	it('is what `gulp icons` draws from the light one', () => {
		expect(icon('segmind.dark.svg')).toBe(darkIcon(icon('segmind.svg')));
	});

	it('shares no colour with the light one', () => {
		const colours = (svg: string) => svg.match(/#[0-9a-f]{6}/gi) ?? [];
		const light = colours(icon('segmind.svg'));
		expect(light.length).toBeGreaterThan(0);
		for (const colour of colours(icon('segmind.dark.svg'))) expect(light).not.toContain(colour);
	});

	it('is not drawn when a colour has no dark counterpart', () => {
		expect(() => darkIcon('<path fill="#123456"/>')).toThrow('#123456');
	});
});

describe('both icons', () => {
	it.each(['segmind.svg', 'segmind.dark.svg'])(
		'%s is a square of 60 that loads nothing',
		(name) => {
			const svg = icon(name);
			expect(svg).toContain('viewBox="0 0 60 60"');
			expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|href/);
		},
	);
});
