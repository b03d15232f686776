/** Rules that never come to an end, as a fault of this package might make them, end the item. */
import { runParams } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

/** Much more than the longest life takes; without a bound nothing else would end the test. */
const MOST_CALLS = 1_000;
let mockCalls = 0;

jest.mock('../../nodes/shared/request/rules/next', () => ({
	...jest.requireActual<object>('../../nodes/shared/request/rules/next'),
	next: () => {
		if (++mockCalls > MOST_CALLS) throw new Error('the loop has no bound');
		return { do: 'makeRoom', id: '', why: 'failed' };
	},
}));

const { emulator, runNode } = useVirtualEngine();

test('the loop of a request is bounded', async () => {
	const { failed } = await runNode({ parameters: runParams() });
	expect(failed).toMatchObject([{ kind: 'other', charge: 'unknown' }]);
	expect(emulator.callsOf('submit')).toEqual([]);
});
