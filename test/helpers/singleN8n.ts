import type { EmulatorOptions } from '../../dev/emulator';
import { startSingleN8n, type SingleN8n } from '../../dev/n8n/singleN8n';
import { useStarted } from './started';

export type { SingleN8n } from '../../dev/n8n/singleN8n';

/** One n8n for a test file or a describe; `env` is added to its settings. A call beyond loopback or a leaked secret fails the test. */
export function useSingleN8n(
	orders: EmulatorOptions = {},
	env?: Record<string, string>,
): SingleN8n {
	const host = useStarted(
		async () => await startSingleN8n({ orders: { queueMs: 10, jobMs: 100, ...orders }, env }),
		300_000,
	);
	afterEach(() => {
		expect(host.emulator.leaks).toEqual([]);
		expect(host.model.problems).toEqual([]);
		expect(host.output()).not.toContain('left loopback');
	});
	afterAll(async () => await host.stop?.(), 60_000);
	return host;
}
