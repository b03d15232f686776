/** A production webhook brings a file, and its execution is retried from the list: what was accepted, and what went up, is not sent again. */
import type { INodeParameters } from 'n8n-workflow';

import { errorOf, itemsOf, node, slug, started, until } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

/** What the file is called where it was stored before the execution had an id, and afterwards. */
const MODES = [
	['filesystem', /^filesystem-v2:.*\/executions\/\d+\//],
	['database', /^database:/],
] as const;

/** A form with a file and a prompt, as a browser posts it. */
function form(): FormData {
	const data = new FormData();
	data.append('prompt', 'a lighthouse');
	data.append('data', new Blob([Buffer.alloc(20_000, 'x')], { type: 'image/png' }), 'photo.png');
	return data;
}

const using = (more: INodeParameters) =>
	node('segmind', {
		model: slug('nano-banana'),
		prompt: '={{ $json.body.prompt }}',
		options: { timeoutSeconds: 1 },
		...more,
	});

const NODES = {
	'does not use': using({}),
	'uploads by name': using({
		options: {
			timeoutSeconds: 1,
			additionalParameters: {
				values: [{ name: 'image_urls', type: 'file', binaryFields: 'data' }],
			},
		},
	}),
	'uploads through the form': using({
		parameters: {
			mappingMode: 'defineBelow',
			value: { image_urls: 'data' },
			matchingColumns: [],
			schema: [
				{
					id: 'image_urls',
					displayName: 'image_urls',
					required: false,
					defaultMatch: false,
					display: true,
					type: 'string',
				},
			],
		},
	}),
};

describe.each(MODES)('with files in the %s', (mode, where) => {
	const host = useSingleN8n({}, { N8N_DEFAULT_BINARY_DATA_MODE: mode });
	beforeEach(() => host.it.emulator.reset());
	const count = (kind: 'submit' | 'upload') => host.it.emulator.callsOf(kind).length;

	test.each(Object.keys(NODES) as Array<keyof typeof NODES>)(
		'a request times out whose node %s the file: Retry, twice, waits for the same one',
		async (use) => {
			host.it.emulator.set({ jobMs: 9_000 });
			const production = { ...host.it, hooks: host.it.n8n.url };
			const { id } = await started(production, [NODES[use]], {}, form());
			const failed = await host.it.api.ended(id);
			expect(errorOf(failed)).toMatch(/still (QUEUED|PROCESSING)/);
			// The input that the retry starts from names the file anew.
			const [input] = itemsOf(failed, 'webhook');
			expect(input.binary?.data.id).toMatch(where);
			const again = await host.it.api.ended(await host.it.api.retry(id));
			expect(errorOf(again)).toMatch(/still (QUEUED|PROCESSING)/);
			const [job] = host.it.emulator.jobs;
			await until(() => host.it.emulator.jobs[0].state === 'COMPLETED');
			const retried = await host.it.api.ended(await host.it.api.retry(id));
			expect(errorOf(retried)).toBe('');
			expect(itemsOf(retried, 'segmind')[0].json.request_id).toBe(job.requestId);
			expect([count('submit'), count('upload')]).toEqual([1, use === 'does not use' ? 0 : 1]);
		},
	);
});
