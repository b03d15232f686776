/** n8n renders hints and error descriptions as HTML, so texts of the service or of items must not add tags. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { EACH_PROMPT, prompts, runParams } from '../../helpers/inference';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const TAG = '<img src=x onerror=alert(1)>';
const LINK = `</b><a href="https://evil.example">sign in</a><!-- ${TAG}`;
/** Where a reader of HTML sees a tag begin. */
const TAG_BEGINS = /<[a-z/!?]/i;

/** Responses of the service, with a hostile ID. */
const hostile = (more: IDataObject) => ({ body: { request_id: LINK, ...more } });
const QUEUED = hostile({ status: 'QUEUED' });
const files = [{ url: 'http://127.0.0.1:9/a.png' }];
const CASES: Array<[string, FaultAction, FaultAction, IDataObject]> = [
	['a rejection', { status: 422, body: { error: LINK } }, 'hang', {}],
	['a failed request', QUEUED, hostile({ status: 'FAILED', error: LINK }), {}],
	['a request that does not end', QUEUED, hostile({ status: LINK }), { timeoutSeconds: 20 }],
	['a file out of reach', QUEUED, hostile({ status: 'COMPLETED', images: files }), {}],
];

describe.each([1, 2])('with %i items', (items) => {
	test.each(CASES)('%s adds no tag to a text', async (_name, submission, response, options) => {
		emulator.fault({ on: 'submit', times: 'always', do: submission });
		emulator.fault({ on: ['status', 'result'], times: 'always', do: response });
		const parameters = runParams({ prompt: EACH_PROMPT }, options);
		const { error, hints } = await runNode({ parameters, items: prompts(items) });
		const shown = [...hints, error?.message ?? '', error?.description ?? ''];
		expect(shown.join('').length).toBeGreaterThan(50);
		for (const text of shown) expect(text).not.toMatch(TAG_BEGINS);
	});
});
