import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { startEmulator, type Emulator, type EmulatorOptions } from '../../dev/emulator';

/** An emulator for one test file: quick jobs, reset before each test, no leak allowed after any. */
export function useEmulator(orders: EmulatorOptions = {}): { readonly it: Emulator } {
	const held = {} as { it: Emulator };
	beforeAll(async () => {
		held.it = await startEmulator({ queueMs: 10, jobMs: 60, ...orders });
	});
	beforeEach(() => held.it.reset());
	afterEach(() => expect(held.it.leaks).toEqual([]));
	afterAll(async () => await held.it.close());
	return held;
}

export function model(slug: string) {
	return { __rl: true, mode: 'id', value: slug };
}

/** Parameters of Inference's `run`, polled fast; members of `more` replace or add. */
export function running(more: INodeParameters = {}, options: IDataObject = {}): INodeParameters {
	return { operation: 'run', model: model('nano-banana-pro'), prompt: 'a lighthouse', ...more, options: { pollIntervalSeconds: 0.05, ...options } } as INodeParameters;
}

/** Items with a prompt each, to use with `prompt: '={{ $json.prompt }}'`. */
export function prompts(count: number): INodeExecutionData[] {
	return Array.from({ length: count }, (_unused, at) => ({ json: { prompt: `prompt ${at}` } }));
}

export const EACH_PROMPT = '={{ $json.prompt }}';

/** Rows of the fixedCollection `inputs`. */
export function rows(...values: INodeParameters[]): INodeParameters {
	return { values };
}
