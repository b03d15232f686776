import type { EmulatorOptions } from '../../dev/emulator';
import { startLocalN8n, type LocalN8n } from '../../dev/n8n/localN8n';
import { useStarted } from './started';

export type { LocalN8n } from '../../dev/n8n/localN8n';

/** Starts one n8n for a test file or a describe block; `env` is added to its settings. A call beyond loopback or a leaked secret fails the test. */
export function useSingleN8n(orders: EmulatorOptions = {}, env?: Record<string, string>): LocalN8n {
	const host = useStarted(
		async () => await startLocalN8n({ orders: { queueMs: 10, jobMs: 100, ...orders }, env }),
		300_000,
	);
	afterEach(() => {
		expect(host.emulator.leaks).toEqual([]);
		expect(host.chatModel.problems).toEqual([]);
		expect(host.output()).not.toContain('left loopback');
	});
	afterAll(async () => await host.stop?.(), 60_000);
	return host;
}
