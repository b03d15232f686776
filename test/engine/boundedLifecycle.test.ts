/** Rules that never come to an end, as a fault of this package might make them, end the item. */
import { running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

jest.mock('../../nodes/shared/request/rules/next', () => ({
	...jest.requireActual<object>('../../nodes/shared/request/rules/next'),
	next: () => ({ do: 'makeRoom', id: '', why: 'failed' }),
}));

const { emulator, runNode } = useVirtualEngine();

test('the loop of a request is bounded', async () => {
	const { failed } = await runNode({ parameters: running() });
	expect(failed).toMatchObject([{ kind: 'other', charge: 'unknown' }]);
	expect(emulator.it.callsOf('submit')).toEqual([]);
});
