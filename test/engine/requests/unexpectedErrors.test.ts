/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** An unexpected error fails its item or its poll, without secrets and without its stack. */
import { binaryData } from '../../../dev/engine/version';
import { systemClock } from '../../../nodes/shared/base/clock';
import { RunEvents } from '../../../nodes/shared/run/runEvents';
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
	expect(failed).toMatchObject([{ kind: 'other' }]);
	expect(error?.message).not.toContain(__dirname);
});

test('after the call of a creation: it may have been done, so a retry does not do it again', async () => {
	const parameters = { operation: 'create', ...ENDPOINT };
	jest.spyOn(RunEvents.prototype, 'follow').mockImplementation(() => {
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
	expect(trigger.errors).toMatchObject([{ message: 'of [hidden]' }]);
});
