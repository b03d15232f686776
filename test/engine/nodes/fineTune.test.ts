/** Segmind Fine-Tune: jobs, and input errors of all operations. */
import type { INodeParameters } from 'n8n-workflow';

import {
	uploadUrlParams,
	getJobParams,
	LIST_PARAMS,
	shareParams,
	DATA_URL,
	jobOf,
	jobWeightsParams,
	submitJobParams,
	uploadParams,
	useFineTunes,
} from '../../helpers/fineTune';
import { fileItem, search, succeed, type RunResult } from '../../helpers/runNode';

type JobJson = { advance_parameters: object };
const { emulator, run, inVirtualTime, jobCalls, injectFault, submitJob } = useFineTunes();

describe('job: submit', () => {
	test.each(['FLUX_PRO', 'FLUX', 'FAST_FLUX'])(
		'sends the documented example of %s',
		async (name) => {
			const { json, log } = await run(submitJobParams({}, name));
			const body = jobOf(name);
			const headers = { 'x-api-key': emulator.key };
			const path = '/finetune/request/submit';
			expect(jobCalls()).toMatchObject([{ origin: 'api', method: 'POST', path, headers, body }]);
			const [{ finetuneId }] = emulator.fineTunes;
			expect(json).toEqual([{ finetune_id: finetuneId, status: 'REQUESTED', name: 'sneakers' }]);
			expect(log.join()).toContain(`fine-tune ${finetuneId}`);
		},
	);

	test('sends JSON exactly as written, also for another base model', async () => {
		const jobJson = `{ "name": "q", "data_source_path": "${DATA_URL}", "instance_prompt": "x", "base_model": "QWEN", "theme": "any", "segmind_public": false, "advance_parameters": { "steps": 1e3, "note": null } }`;
		const { json } = await run({ ...submitJobParams(), jobJson });
		expect(json).toMatchObject([{ status: 'REQUESTED', name: 'q' }]);
		expect(jobCalls()[0].bodyBytes).toBe(jobJson.length);
	});

	test("if the service is deprecated, the error quotes the service's message", async () => {
		emulator.set({ fineTuneOpen: false });
		const { failed } = await run(submitJobParams());
		const message = expect.stringContaining('Fine-tuning no longer accepts');
		expect(failed).toMatchObject([{ kind: 'rejected', httpCode: 410, charge: 'none', message }]);
	});
});

const advanced = (more: object) => ({
	advance_parameters: { ...(jobOf('FLUX_PRO') as JobJson).advance_parameters, ...more },
});

/** Returns a job's template without a member, which is named by its path. */
function jobWithout(path: string, variant: string): object {
	const job = jobOf(variant) as JobJson & Record<string, unknown>;
	const [member, inner] = path.split('.');
	if (inner === undefined) return { [member]: undefined };
	return { advance_parameters: { ...job.advance_parameters, [inner]: undefined } };
}

/** Members of the specification without a default, by variant. */
const COMMON_MEMBERS =
	'name data_source_path instance_prompt segmind_public base_model theme advance_parameters';
const REQUIRED = Object.entries({
	FLUX_PRO: COMMON_MEMBERS,
	FLUX: `${COMMON_MEMBERS} train_type machine_type advance_parameters.learning_rate advance_parameters.steps`,
	FAST_FLUX: `${COMMON_MEMBERS} advance_parameters.steps advance_parameters.face_crop advance_parameters.finetune_type`,
}).flatMap(([variant, members]) => members.split(' ').map((member) => [member, variant]));

test.each<[string, object]>([
	['FLUX_PRO', { trigger_word: undefined, advance_parameters: {} }],
	['FLUX_PRO', advanced({ learning_rate: 0.0001, note: 'x' })],
	['FLUX', { train_type: 'FULL', priority: 1 }],
	['FAST_FLUX', { trigger_word: undefined }],
	['FAST_FLUX', { advance_parameters: { steps: 5, face_crop: true, finetune_type: 'FULL' } }],
])(
	'a job of %s with %j is sent: the rest has a default, or is only an example',
	async (variant, more) => {
		succeed(await run(submitJobParams(more, variant)));
		const { body } = jobCalls()[0];
		expect(body).toEqual(JSON.parse(JSON.stringify(jobOf(variant, more))));
	},
);

const JOB = 'Job (JSON)';
const FILE_FIELD = 'Input Data Field Name';
const memberOf = (name: string) => `'${name}' in ${JOB}`;
const withText = (jobJson: string) => ({ ...submitJobParams(), jobJson });
test.each<[string, INodeParameters]>([
	[memberOf('name'), submitJobParams({ name: ' ' })],
	[memberOf('data_source_path'), submitJobParams({ data_source_path: undefined })],
	[memberOf('instance_prompt'), submitJobParams({ instance_prompt: null })],
	[memberOf('theme'), submitJobParams({ theme: 'KONTEXT' })],
	[memberOf('theme'), submitJobParams({ base_model: 'FLUX' })],
	[memberOf('base_model'), submitJobParams({ base_model: ' ' })],
	...REQUIRED.map(([member, variant]): [string, INodeParameters] => [
		memberOf(member),
		submitJobParams(jobWithout(member, variant), variant),
	]),
	...[
		{ iterations: 99 },
		{ iterations: 150.5 },
		{ learning_rate: -0.1 },
		{ lora_rank: 8 },
		{ captioning: 'perhaps' },
	].map((wrong): [string, INodeParameters] => {
		const [name] = Object.keys(wrong);
		return [memberOf(`advance_parameters.${name}`), submitJobParams(advanced(wrong))];
	}),
	[memberOf('machine_type'), submitJobParams({ machine_type: 'NVIDIA_A100_40GB' }, 'FLUX')],
	[JOB, withText('[1]')],
	[JOB, withText('{"a": }')],
	[JOB, withText('={"name": "{{ $json.missing }}"}')],
	['Fine-Tune', getJobParams('={{ "" }}')],
	['Public', shareParams('x', '={{ "perhaps" }}')],
	['File Name', uploadUrlParams({ name: '={{ "" }}' })],
	['Public', uploadUrlParams({ public: '={{ "perhaps" }}' })],
	[FILE_FIELD, uploadParams({ binaryField: 'zip' })],
	['empty.png', uploadParams({ binaryField: 'empty' })],
	['Fine-Tune', jobWeightsParams('={{ "" }}')],
	['Cloud Storage URL', { ...jobWeightsParams('x'), cloudStorageUrl: 'weights.safetensors' }],
])('the error names %s, and nothing is sent: %j', async (field, parameters) => {
	const files = { data: { bytes: Buffer.from('PK') }, empty: { bytes: Buffer.alloc(0) } };
	const { failed } = await run(parameters, { items: [fileItem(files)] });
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(field) }]);
	expect(emulator.calls).toEqual([]);
});

describe('job: get, get many and update access', () => {
	test('get sends GET with a body, and outputs the job', async () => {
		const id = await submitJob();
		injectFault('dropBeforeAccept');
		const { json, items } = succeed(await run(getJobParams(id)));
		expect(jobCalls().at(-1)).toMatchObject({
			method: 'GET',
			path: '/finetune/request/details',
			body: { request_id: id },
			headers: { 'content-type': 'application/json', 'x-api-key': emulator.key },
		});
		const job = { finetune_id: id, status: 'AVAILABLE', error_message: null };
		expect(json[0]).toMatchObject({ ...job, base_model: 'FLUX_PRO' });
		expect(items[0].pairedItem).toEqual({ item: 0 });
	});

	test('a failed job succeeds as an item with its reason; an unknown job and an empty ID fail', async () => {
		emulator.set({ failFineTunes: 'all' });
		const more = { onError: 'continueErrorOutput' } as const;
		const { json, errorItems } = await run(getJobParams(await submitJob()), more);
		expect(errorItems).toEqual([]);
		expect(json[0]).toMatchObject({
			status: 'FAILED',
			error_message: expect.stringMatching(/^GPU/),
		});
		const unknown = await run(getJobParams('nope'), more);
		expect(unknown.failed).toMatchObject([{ httpCode: 404 }]);
	});

	test.each(['oops', '{}', '{"message": "Not found"}', '{"finetune": null}'])(
		'a response without a job is an error: %s',
		async (body) => {
			injectFault({ body });
			expect((await run(getJobParams('x'))).failed).toMatchObject([{ kind: 'unreadable' }]);
		},
	);

	test('get many outputs one item per job, up to the limit', async () => {
		expect((await run(LIST_PARAMS)).items).toEqual([]);
		const ids = [await submitJob(), await submitJob('FLUX'), await submitJob()];
		const idsIn = ({ json }: RunResult) => json.map(({ finetune_id }) => finetune_id);
		expect(idsIn(await run({ ...LIST_PARAMS, limit: 2 }))).toEqual(ids.slice(0, 2));
		expect(idsIn(await run({ ...LIST_PARAMS, limit: 2, returnAll: true }))).toEqual(ids);
	});

	test('get many gives an agent only what it needs to choose and use a job', async () => {
		const finetune_id = await submitJob();
		const { json } = await run(LIST_PARAMS, { asTool: true });
		const [{ slug }] = emulator.fineTunes;
		const job = { finetune_id, name: 'sneakers', status: 'AVAILABLE', base_model: 'FLUX_PRO' };
		expect(json).toEqual([{ ...job, slug }]);
	});

	test.each([true, false])(
		'public access %s is set by PUT as a multipart form; an empty response makes an item',
		async (value) => {
			const id = await submitJob();
			const { json } = await run(shareParams(id, value));
			expect(jobCalls()[1]).toMatchObject({
				method: 'PUT',
				path: '/finetune/request/access-update',
				body: { request_id: id, segmind_public: String(value) },
				headers: { 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
			});
			expect(json).toEqual([{ finetune_id: id, segmind_public: value, updated: true }]);
			expect(emulator.fineTunes[0].public).toBe(value);
		},
	);

	test('a change whose response is lost is not repeated', async () => {
		injectFault('dropAfterAccept');
		const { failed } = await run(shareParams('nope'));
		expect(failed).toMatchObject([{ kind: 'unknownOutcome' }]);
		expect(jobCalls()).toHaveLength(1);
	});
});

test('the list of jobs shows name, kind and status; it is empty if it cannot be read', async () => {
	const list = async (more: Partial<Parameters<typeof search>[0]> = {}) => {
		const options = { emulator, node: 'segmindFineTune', method: 'searchFineTunes' };
		return (await inVirtualTime(search({ ...options, ...more }))).results;
	};
	const value = await submitJob();
	expect(await list()).toEqual([{ name: 'sneakers (FLUX_PRO, AVAILABLE)', value }]);
	expect(await list({ filter: 'kontext' })).toEqual([]);
	injectFault({ status: 500, body: 'x' });
	expect(await list()).toEqual([]);
	expect(await list({ emulator: undefined })).toEqual([]);
});
