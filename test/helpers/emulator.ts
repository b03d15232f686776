import { startEmulator, type Emulator, type EmulatorOptions } from '../../dev/emulator';
import { SERVICE_URLS } from '../../nodes/shared/service/addresses';
import { useStarted } from './started';

/** Starts an emulator for one test file, which has to reset it itself. */
export function useBareEmulator(orders: EmulatorOptions = {}): Emulator {
	const emulator = useStarted(async () => await startEmulator(orders));
	// Here, the emulator's address is Segmind's, not a company's own gateway.
	beforeAll(() => Object.assign(SERVICE_URLS, { baseUrl: emulator.urls.api }));
	afterAll(async () => await emulator.close());
	return emulator;
}

/** Starts an emulator for one test file: jobs take milliseconds, it's reset before each test, and a leaked secret fails the test. */
export function useEmulator(orders: EmulatorOptions = {}): Emulator {
	const emulator = useBareEmulator({ queueMs: 10, jobMs: 60, ...orders });
	beforeEach(() => emulator.reset());
	afterEach(() => expect(emulator.leaks).toEqual([]));
	return emulator;
}
