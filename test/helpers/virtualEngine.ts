import { sleep } from 'n8n-workflow';

import type { Emulator, EmulatorOptions } from '../../dev/emulator';
import type { Call } from '../../dev/emulator/types';
import { assertBrief } from './brevity';
import { useEmulator } from './emulator';
import { runNode, type RunOptions, type RunResult } from './runNode';
import { useVirtualTime, type VirtualTime } from './virtualTime';

/** How much virtual time an execution may take. */
const MAX_EXECUTION_MS = 48 * 3_600_000;

interface VirtualEngine {
	emulator: Emulator;
	time: VirtualTime;
	/** Runs one node in n8n's engine in virtual time, by default against the file's emulator. */
	runNode(
		options: Omit<RunOptions, 'emulator'> & Partial<Pick<RunOptions, 'emulator'>>,
	): Promise<RunResult>;
	/** Lets virtual time pass until the work is done. */
	inVirtualTime<T>(work: Promise<T>): Promise<T>;
	/** Lets this much virtual time pass. Which clock to use when: see virtualTime.ts. */
	pass(ms: number): Promise<void>;
	/** Sets the date forward, or back, while nothing happens. */
	skip(ms: number): void;
	/** The submissions of v2 requests that arrived. */
	submits(): Call[];
}

/** Sets up n8n's engine and an emulator in virtual time for a test file. Before each test, what the nodes keep in the process's memory is cleared. */
export function useVirtualEngine(orders: EmulatorOptions = {}): VirtualEngine {
	let testNumber = 0;
	const time = useVirtualTime();
	const emulator = useEmulator(orders);
	beforeEach(() => {
		time.restart();
		testNumber++;
	});
	const inVirtualTime = async <T>(work: Promise<T>) => await time.run(work, MAX_EXECUTION_MS);
	return {
		emulator,
		time,
		inVirtualTime,
		skip: time.skip,
		pass: async (ms) => await inVirtualTime(sleep(ms)),
		submits: () => emulator.callsOf('submit'),
		async runNode(options) {
			const ending = new AbortController();
			// A rate limit in one test must not delay the next.
			const defaults = { emulator, credentialId: `credential of test ${testNumber}` };
			const running = inVirtualTime(runNode({ ...defaults, signal: ending.signal, ...options }));
			// Stops an execution that never ends, which would otherwise run during the next tests.
			running.catch(() => ending.abort());
			const result = await running;
			assertBrief(result, options.asTool === true);
			return result;
		},
	};
}
