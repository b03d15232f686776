/** If a bug made the rules of a request loop forever, the item would still fail. */
import { runParams } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

/** Many more steps than any request takes. Ends the test if the loop has no bound. */
const MOST_CALLS = 1_000;
let mockCalls = 0;

jest.mock('../../nodes/shared/request/rules/next', () => ({
	...jest.requireActual<object>('../../nodes/shared/request/rules/next'),
	next: () => {
		if (++mockCalls > MOST_CALLS) throw new Error('the loop has no bound');
		return { do: 'discardEntry', id: '', why: 'failed' };
	},
}));

const { emulator, runNode } = useVirtualEngine();

test('the loop of a request is bounded', async () => {
	const { failed } = await runNode({ parameters: runParams() });
	expect(failed).toMatchObject([{ kind: 'other', charge: 'unknown' }]);
	expect(emulator.callsOf('submit')).toEqual([]);
});
