/** Segmind Fine-Tune against the emulator, for whole test files: parameters of each operation, and the calls that arrived. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import type { RunOptions } from './runNode';
import { useVirtualEngine } from './virtualEngine';

export const DATA_URL = 'https://example.com/sneakers.zip';
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
export const submitJobParams = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'job',
	operation: 'submit',
	variant: 'fluxPro',
	name: 'sneakers',
	dataSourcePath: DATA_URL,
	instancePrompt: 'a photo of TOK sneakers',
	...more,
});
export const LIST_PARAMS = { resource: 'job', operation: 'getAll' };
export const getJobParams = (id: string): INodeParameters => ({
	resource: 'job',
	operation: 'get',
	finetuneId: byId(id),
});
export const shareParams = (
	id: string,
	segmindPublic: INodeParameters[string] = true,
): INodeParameters => ({
	resource: 'job',
	operation: 'updateAccess',
	finetuneId: byId(id),
	segmindPublic,
});
export const uploadUrlParams = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'dataset',
	operation: 'createUploadUrl',
	name: 'shoes.zip',
	...more,
});
export const uploadParams = (variant: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'dataset',
	operation: 'upload',
	variant,
	...more,
});
export const weightUrlParams = (more: INodeParameters): INodeParameters => ({
	resource: 'weight',
	operation: 'getDownloadUrl',
	...more,
});
export const jobWeightsParams = (id: string) => weightUrlParams({ finetuneId: byId(id) });

export function useFineTunes() {
	const engine = useVirtualEngine({ fineTuneOpen: true, fineTuneStepMs: 0 });
	const { emulator } = engine;
	const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
		await engine.runNode({ node: 'segmindFineTune', parameters, ...more });
	return {
		...engine,
		run,
		jobCalls: () => emulator.callsOf('finetune'),
		injectFault: (action: FaultAction) => emulator.fault({ on: 'finetune', do: action }),
		/** Submits a job. Returns its ID. */
		async submitJob(more: INodeParameters = {}): Promise<string> {
			const { json, error } = await run(submitJobParams(more));
			expect(error).toBeUndefined();
			return json[0].finetune_id as string;
		},
	};
}
