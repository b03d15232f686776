import { startEmulator, type Emulator, type EmulatorOptions } from '../../dev/emulator';

/** An emulator for one test file, which resets it where it wants to. */
export function useBareEmulator(orders: EmulatorOptions = {}): { readonly it: Emulator } {
	const held = {} as { it: Emulator };
	beforeAll(async () => {
		held.it = await startEmulator(orders);
	});
	afterAll(async () => await held.it.close());
	return held;
}

/** An emulator for one test file: quick jobs, reset before each test, no leak allowed after any. */
export function useEmulator(orders: EmulatorOptions = {}): { readonly it: Emulator } {
	const held = useBareEmulator({ queueMs: 10, jobMs: 60, ...orders });
	beforeEach(() => held.it.reset());
	afterEach(() => expect(held.it.leaks).toEqual([]));
	return held;
}
