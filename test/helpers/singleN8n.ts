import type { EmulatorOptions } from '../../dev/emulator';
import { startLocalN8n, type LocalN8n } from '../../dev/n8n/localN8n';

export type { LocalN8n } from '../../dev/n8n/localN8n';

/** One n8n for a test file or a describe, `env` on top of its settings. It may call nobody but loopback, and no secret may go astray. */
export function useSingleN8n(
	orders: EmulatorOptions = {},
	env?: Record<string, string>,
): { readonly it: LocalN8n } {
	const held = {} as { it: LocalN8n };
	beforeAll(async () => {
		held.it = await startLocalN8n({ orders: { queueMs: 10, jobMs: 100, ...orders }, env });
	}, 300_000);
	afterEach(() => {
		expect(held.it.emulator.leaks).toEqual([]);
		expect(held.it.chatModel.problems).toEqual([]);
		expect(held.it.output()).not.toContain('left loopback');
	});
	afterAll(async () => await held.it?.stop(), 60_000);
	return held;
}
