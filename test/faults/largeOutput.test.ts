/** The output of a v1 call has a ceiling only: what goes beyond it is looked for in the history, under the id that its answer's head named. */
import { running } from '../helpers/inference';
import { useEmulator } from '../helpers/emulator';
import { runNode } from '../helpers/runNode';

const emulator = useEmulator({ v1Ms: 0 });

test('reading an endless output ends, and the history has its request', async () => {
	emulator.it.set({ history: true });
	const fault = emulator.it.fault({ on: 'v1', times: 'always', do: 'endless' });
	const { error, json } = await runNode({
		emulator: emulator.it,
		parameters: running({}, { answerInOneCall: true }),
	});
	expect(error).toBeUndefined();
	expect(json[0].request_id).toBe(emulator.it.jobs[0].requestId);
	expect(fault.hits).toBe(1);
	// The connection is closed.
	await emulator.it.whenIdle();
});
