/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { chain, node } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';
import { nodeNamed, openPanel, openWorkflow, useEditor } from './editor';

const host = useSingleN8n();
const inEditor = useEditor(host);

test.each([
	['light', 'segmind.svg'],
	['dark', 'segmind.dark.svg'],
] as const)('the %s theme shows %s on the canvas and in the panel', async (colorScheme, file) => {
	await inEditor(
		async (page) => {
			const { id } = await host.it.api.createWorkflow(
				chain('icon', [node('segmind')]),
				host.it.credentials,
			);
			await openWorkflow(page, id);
			const onCanvas = nodeNamed(page, 'segmind').locator('img');
			const shown = [await onCanvas.getAttribute('src')];
			await openPanel(page, 'segmind');
			shown.push(await page.getByTestId('ndv').locator('img').first().getAttribute('src'));
			const drawn = readFileSync(join(ROOT, 'icons', file), 'utf8');
			for (const address of shown) {
				expect(address).toMatch(new RegExp(`/${file.replace(/\./g, '\\.')}$`));
				expect(await (await page.request.get(String(address))).text()).toBe(drawn);
			}
		},
		{ colorScheme },
	)();
});
