import type { EmulatorOptions } from '../../dev/emulator';
import { startSingleN8n, type SingleN8n } from '../../dev/n8n/singleN8n';

export type { SingleN8n } from '../../dev/n8n/singleN8n';

/** One n8n for a test file or a describe, `env` on top of its settings. It may call nobody but loopback, and no secret may go astray. */
export function useSingleN8n(
	orders: EmulatorOptions = {},
	env?: Record<string, string>,
): { readonly it: SingleN8n } {
	const held = {} as { it: SingleN8n };
	beforeAll(async () => {
		held.it = await startSingleN8n({ orders: { queueMs: 10, jobMs: 100, ...orders }, env });
	}, 300_000);
	afterEach(() => {
		expect(held.it.emulator.leaks).toEqual([]);
		expect(held.it.model.problems).toEqual([]);
		expect(held.it.output()).not.toContain('left loopback');
	});
	afterAll(async () => await held.it?.stop(), 60_000);
	return held;
}
