import type { Emulator, EmulatorOptions } from '../../dev/emulator';
import { useEmulator } from './emulator';
import { runNode, type RunOptions, type RunResult } from './runNode';
import { useVirtualTime, type VirtualTime } from './virtualTime';

/** Longest an execution may last, ms of virtual time. */
const MAX_EXECUTION_MS = 48 * 3_600_000;

interface VirtualEngine {
	emulator: Emulator;
	time: VirtualTime;
	/** Runs one node in n8n's engine, on the emulator of the file unless told otherwise; waits take no time. */
	runNode(
		options: Omit<RunOptions, 'emulator'> & Partial<Pick<RunOptions, 'emulator'>>,
	): Promise<RunResult>;
	/** Lets virtual time pass until the work is done. */
	during<T>(work: Promise<T>): Promise<T>;
}

/** n8n's engine and an emulator on virtual time, for a whole test file. Each test begins in a process that remembers nothing. */
export function useVirtualEngine(orders: EmulatorOptions = {}): VirtualEngine {
	let tests = 0;
	const time = useVirtualTime();
	const emulator = useEmulator(orders);
	beforeEach(() => {
		time.restart();
		tests++;
	});
	const during = async <T>(work: Promise<T>) => await time.run(work, MAX_EXECUTION_MS);
	return {
		emulator,
		time,
		during,
		async runNode(options) {
			const ending = new AbortController();
			// A rate limit that one test has met must not hold up the next.
			const own = { emulator, credentialId: `credential of test ${tests}` };
			const running = during(runNode({ ...own, signal: ending.signal, ...options }));
			// An execution that never ends would go on beside the next tests.
			running.catch(() => ending.abort());
			return await running;
		},
	};
}
