/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** An unexpected error names its first place in this package, and nothing else of its stack. */
import { binaryData } from '../../../dev/engine/version';
import { describeError } from '../../../nodes/shared/base/describeError';
import { systemClock } from '../../../nodes/shared/base/clock';
import { RunReport } from '../../../nodes/shared/run/runReport';
import { ENDPOINT } from '../../helpers/endpoint';
import { fileRow, rows, submitParams } from '../../helpers/inference';
import { usePolling } from '../../helpers/polling';
import { storedFile, useBinariesOnDisk } from '../../helpers/runNode';

const { emulator, runNode, watchAccount } = usePolling();
useBinariesOnDisk();
afterEach(() => jest.restoreAllMocks());

test('of an item', async () => {
	jest.spyOn(binaryData(), 'getMetadata').mockResolvedValue(undefined as never);
	const parameters = submitParams({}, { additionalParameters: rows(fileRow('image')) });
	const items = [await storedFile(Buffer.from('x'), 'a.png', 'image/png')];
	const { failed, error } = await runNode({ parameters, items });
	expect(failed).toMatchObject([
		{ kind: 'other', message: expect.stringMatching(/ \(at media\/\w+\.ts:\d+\)$/) },
	]);
	expect(error?.message).not.toContain(__dirname);
});

test('after the call of a creation: it may have been done, so a retry does not do it again', async () => {
	const parameters = { operation: 'create', ...ENDPOINT };
	jest.spyOn(RunReport.prototype, 'follow').mockImplementation(() => {
		throw new TypeError('of a bug');
	});
	const created = await runNode({ node: 'segmindEndpoint', parameters });
	expect(created.failed).toMatchObject([{ kind: 'other' }]);
	jest.restoreAllMocks();
	const retried = await runNode({ node: 'segmindEndpoint', parameters, retryOf: created });
	expect(retried.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
	expect(emulator.calls.filter(({ path }) => path.endsWith('/endpoint/add'))).toHaveLength(1);
});

test('of a poll', async () => {
	const trigger = watchAccount();
	await trigger.activate();
	jest.spyOn(systemClock, 'now').mockImplementation(() => {
		throw new RangeError(`of ${emulator.key}`);
	});
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.errors).toMatchObject([
		{ message: expect.stringMatching(/^of \[hidden\] \(at SegmindTrigger\/\w+\.ts:\d+\)$/) },
	]);
});

test("but not n8n's error for a wrong expression", async () => {
	const { failed } = await runNode({
		parameters: submitParams({ prompt: "={{ $('A').first() }}" }),
	});
	expect(failed).toMatchObject([
		{ kind: 'badInput', message: expect.not.stringContaining('(at ') },
	]);
});

const WINDOWS = 'C:\\Users\\Jane Doe\\.n8n\\nodes\\node_modules\\n8n-nodes-segmind\\dist\\nodes';
const LINUX = '/home/nodes/shared/node_modules/n8n-nodes-segmind/dist/nodes';
test.each([
	[`at store (${WINDOWS}\\shared\\output\\makeOutput.js:66:12)`, 'output/makeOutput.js:66'],
	[`at ${WINDOWS}\\Segmind\\model.js:7:1`, 'Segmind/model.js:7'],
	[`at async Promise.all (file://${LINUX}/shared/items/runItems.js:90:5)`, 'items/runItems.js:90'],
	[`at new Client (${LINUX}/shared/service/client.js:1:2)`, 'service/client.js:1'],
	['at run (/usr/lib/node_modules/n8n/dist/nodes/Set/Set.node.js:1:2)', undefined],
	[`at ${LINUX.replace('/dist/nodes', '')}/x.js:1:2`, undefined],
])('a line such as %j', (line, place) => {
	const error = new TypeError('what\n    at x (/nodes/shared/of/theMessage.js:1:1)');
	error.stack = `TypeError: ${error.message}\n    at JSON.parse (<anonymous>)\n    ${line}`;
	const [, found] = /\(at (\S+)\)$/.exec(describeError(error).replace(error.message, '')) ?? [];
	expect(found).toBe(place);
});

test('a long message leaves room for the place', () => {
	const error = new Error('x'.repeat(1_000_000));
	error.stack = `Error: ${error.message}\n    at ${LINUX}/shared/base/text.js:3:1`;
	const described = describeError(error);
	expect(described).toMatch(/\(at base\/text\.js:3\)$/);
	expect(described.length).toBeLessThan(1_000);
});
