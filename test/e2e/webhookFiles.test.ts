/** A production webhook brings a file, and its execution is retried from the list: what was accepted, and what went up, is not sent again. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { errorOf, itemsOf, node, slug, started, until } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

/** What the file is called where it was stored before the execution had an id, and afterwards. */
const MODES = [
	['filesystem', /^filesystem-v2:.*\/executions\/\d+\//],
	['database', /^database:/],
] as const;

/** A form with a file and a prompt, as a browser posts it. */
function form(prompt: string): FormData {
	const data = new FormData();
	data.append('prompt', prompt);
	data.append('data', new Blob([Buffer.alloc(20_000, 'x')], { type: 'image/png' }), 'photo.png');
	return data;
}

const using = (more: INodeParameters, options: IDataObject = {}) =>
	node('segmind', {
		model: slug('nano-banana'),
		prompt: '={{ $json.body.prompt }}',
		options: { timeoutSeconds: 1, ...options } as INodeParameters,
		...more,
	});

const FIELD = {
	id: 'image_urls',
	displayName: 'image_urls',
	required: false,
	defaultMatch: false,
	display: true,
	type: 'string',
} as const;

const NODES = {
	'does not use the file': using({}),
	'uploads by name': using(
		{},
		{
			additionalParameters: {
				values: [{ name: 'image_urls', type: 'file', binaryFields: 'data' }],
			},
		},
	),
	'uploads through the form': using({
		parameters: {
			mappingMode: 'defineBelow',
			value: { image_urls: 'data' },
			matchingColumns: [],
			schema: [FIELD],
		},
	}),
};

describe.each(MODES)('with files in the %s', (mode, where) => {
	const host = useSingleN8n({}, { N8N_DEFAULT_BINARY_DATA_MODE: mode });

	test('requests time out, the file used or not: Retry, twice, waits for the same ones', async () => {
		const { api, emulator, n8n } = host.it;
		emulator.set({ jobMs: 9_000 });
		const stillRunning = async (id: string) => {
			const execution = await api.ended(id);
			expect(errorOf(execution)).toMatch(/still (QUEUED|PROCESSING)/);
			return execution;
		};
		const play = async ([use, segmind]: [string, INode]) => {
			const production = { ...host.it, hooks: n8n.url };
			const { id } = await started(production, [segmind], {}, form(use));
			// The input that the retry starts from names the file anew.
			const [input] = itemsOf(await stillRunning(id), 'webhook');
			expect(input.binary?.data.id).toMatch(where);
			await stillRunning(await api.retry(id));
			const jobs = () => emulator.jobs.filter(({ input }) => input.prompt === use);
			await until(() => jobs()[0].state === 'COMPLETED');
			const retried = await api.ended(await api.retry(id));
			expect(errorOf(retried)).toBe('');
			expect(jobs()).toMatchObject([{ requestId: itemsOf(retried, 'segmind')[0].json.request_id }]);
		};
		await Promise.all(Object.entries(NODES).map(play));
		expect([emulator.callsOf('submit').length, emulator.callsOf('upload').length]).toEqual([3, 2]);
	});
});
