/** n8n shows hints and descriptions of errors as HTML: what the service, or an item, says brings no tag into them. */
import type { IDataObject } from 'n8n-workflow';

import { EACH_PROMPT, prompts, runningLong as running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const TAG = '<img src=x onerror=alert(1)>';
const LINK = `</b><a href="https://evil.example">sign in</a><!-- ${TAG}`;
/** Where a reader of HTML sees a tag begin. */
const TAG_BEGINS = /<[a-z/!?]/i;

const ended = (more: IDataObject) => ({ body: { request_id: LINK, ...more } });
const CASES: Array<[string, (it: typeof emulator.it) => void, IDataObject]> = [
	[
		'a refusal',
		(it) =>
			void it.fault({ on: 'submit', times: 'always', do: { status: 422, body: { error: LINK } } }),
		{},
	],
	[
		'a failed request with an id of its own making',
		(it) => {
			it.fault({ on: 'submit', times: 'always', do: ended({ status: 'QUEUED' }) });
			it.fault({
				on: ['status', 'result'],
				times: 'always',
				do: ended({ status: 'FAILED', error: LINK }),
			});
		},
		{},
	],
	[
		'a request that does not end',
		(it) => {
			it.fault({ on: 'submit', times: 'always', do: ended({ status: 'QUEUED' }) });
			it.fault({ on: ['status', 'result'], times: 'always', do: ended({ status: LINK }) });
		},
		{ timeoutSeconds: 20 },
	],
	[
		'a file that cannot be fetched',
		(it) => {
			it.fault({ on: 'submit', times: 'always', do: ended({ status: 'QUEUED' }) });
			it.fault({
				on: ['status', 'result'],
				times: 'always',
				do: ended({ status: 'COMPLETED', images: [{ url: `http://127.0.0.1:9/a.png` }] }),
			});
		},
		{},
	],
];

test.each(CASES.flatMap((one) => [1, 2].map((items) => [...one, items] as const)))(
	'%s',
	async (_name, fault, options, items) => {
		fault(emulator.it);
		const { error, hints } = await runNode({
			parameters: running({ prompt: EACH_PROMPT }, options as never),
			items: prompts(items),
		});
		const shown = [...hints, error?.message ?? '', error?.description ?? ''];
		expect(shown.join('').length).toBeGreaterThan(50);
		for (const text of shown) expect(text).not.toMatch(TAG_BEGINS);
	},
);
