/** If the output of a v1 call is too large to read, the node finds its request in the history, by the ID in the response's headers. */
import { runParams } from '../helpers/inference';
import { useEmulator } from '../helpers/emulator';
import { runNode } from '../helpers/runNode';

const emulator = useEmulator({ v1Ms: 0 });

test('stops reading an endless output, and finds its request in the history', async () => {
	emulator.set({ history: true });
	const fault = emulator.fault({ on: 'v1', times: 'always', do: 'endless' });
	const { error, json } = await runNode({
		emulator,
		parameters: runParams({}, { answerInOneCall: true }),
	});
	expect(error).toBeUndefined();
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(fault.hits).toBe(1);
	// The emulator becomes idle only if the node closed the connection.
	await emulator.whenIdle();
});
