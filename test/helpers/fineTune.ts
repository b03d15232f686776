/** Segmind Fine-Tune against the emulator, for whole test files: parameters of each operation, and the calls that arrived. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import { succeed, type RunOptions } from './runNode';
import { useVirtualEngine } from './virtualEngine';

export const DATA_URL = 'https://example.com/sneakers.zip';
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const COMMON = {
	name: 'sneakers',
	data_source_path: DATA_URL,
	instance_prompt: 'a photo of TOK sneakers',
	segmind_public: false,
};
/** What a job of each base model has beside the common members. */
const JOBS: Record<string, object> = {
	FLUX_PRO: {
		trigger_word: 'TOK',
		theme: 'GENERAL',
		advance_parameters: {
			iterations: 300,
			priority: 'QUALITY',
			captioning: true,
			lora_rank: 32,
			finetune_type: 'FULL',
		},
	},
	FLUX: {
		theme: 'KONTEXT',
		train_type: 'LORA',
		machine_type: 'NVIDIA_H100',
		advance_parameters: { learning_rate: 0.005, steps: 2000 },
	},
	FAST_FLUX: {
		trigger_word: 'TOK',
		theme: 'subject',
		advance_parameters: { steps: 2000, face_crop: false, finetune_type: 'LORA' },
	},
};
/** Returns the job of a base model. */
export function jobOf(baseModel: string, more: object = {}): object {
	return { ...COMMON, base_model: baseModel, ...JOBS[baseModel], ...more };
}
export const submitJobParams = (more: object = {}, baseModel = 'FLUX_PRO'): INodeParameters => ({
	resource: 'job',
	operation: 'submit',
	jobJson: JSON.stringify(jobOf(baseModel, more)),
});
/** Submits a job whose name is the item's field `name`. */
export const namedJobParams: INodeParameters = {
	...submitJobParams(),
	// Spread over lines, because n8n takes two braces for the end of an expression.
	jobJson: `=${JSON.stringify(jobOf('FLUX_PRO', { name: '{{ $json.name }}' }), null, 1)}`,
};
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
export const uploadParams = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'dataset',
	operation: 'upload',
	...more,
});
export const jobWeightsParams = (id: string): INodeParameters => ({
	resource: 'weight',
	operation: 'getDownloadUrl',
	finetuneId: byId(id),
});

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
		async submitJob(baseModel?: string): Promise<string> {
			const { json } = succeed(await run(submitJobParams({}, baseModel)));
			return json[0].finetune_id as string;
		},
	};
}
