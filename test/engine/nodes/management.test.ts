/** Creating endpoints, fine-tune jobs and API keys: each is created once. */
import type { INodeParameters } from 'n8n-workflow';

import type { CallKind, FaultAction } from '../../../dev/emulator';
import { ENDPOINT } from '../../helpers/endpoint';
import { namedJobParams } from '../../helpers/fineTune';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, pass } = useVirtualEngine({
	fineTuneOpen: true,
	fineTuneStepMs: 0,
});

interface Creation {
	node: string;
	kind: CallKind;
	path: string;
	/** `$json.name` is the item's own name; an empty name fails. */
	parameters: INodeParameters;
	/** A response that doesn't say what was created. */
	unclearResponse: FaultAction;
	/** Whether the operation has the option Send Again If Unsure. */
	mayRepeat: boolean;
	/** The name of its ID in the output. */
	idName?: string;
}

const NAME = '={{ $json.name }}';
const CREATIONS: Record<string, Creation> = {
	'an endpoint': {
		node: 'segmindEndpoint',
		kind: 'endpoint',
		path: '/endpoint/add',
		parameters: { operation: 'create', ...ENDPOINT, endpointName: NAME },
		unclearResponse: { status: 500, body: { error: 'boom' } },
		mayRepeat: true,
		idName: 'endpoint_id',
	},
	'a fine-tune job': {
		node: 'segmindFineTune',
		kind: 'finetune',
		path: '/finetune/request/submit',
		parameters: namedJobParams,
		unclearResponse: { body: { status: 'REQUESTED' } },
		mayRepeat: true,
		idName: 'finetune_id',
	},
	'an API key': {
		node: 'segmindAccount',
		kind: 'account',
		path: '/api/auth/generate-api-key',
		parameters: { resource: 'apiKey', operation: 'create', verificationToken: NAME },
		unclearResponse: { body: '[{"toString":[]}]' },
		mayRepeat: false,
	},
};

describe.each(Object.entries(CREATIONS))(
	'%s',
	(_name, { node, kind, path, parameters, unclearResponse, mayRepeat, idName = '' }) => {
		const creationCalls = () => emulator.callsOf(kind).filter((call) => call.path === path);
		const good = { json: { name: 'mine' } };

		if (mayRepeat)
			test('beside a failed item, the error of a called workflow has the ID of what was created', async () => {
				const items = [good, { json: { name: '' } }];
				const { error } = await runNode({ node, parameters, items, mode: 'integrated' });
				const created = { item: 1, succeeded: true, [idName]: expect.any(String) as string };
				expect(error?.context?.data).toContainEqual(created);
				expect(error?.description).not.toContain('Get Result');
			});

		test('is created once beside a failed item, with Retry On Fail and with Retry of the execution', async () => {
			const items = [good, { json: { name: '' } }];
			const failed = await runNode({ node, parameters, items, tries: 3 });
			expect(failed.error).toBeDefined();
			const retrying = { retryOf: failed, onError: 'continueErrorOutput' } as const;
			const { json, errorItems } = await runNode({ node, parameters, ...retrying });
			expect([json.length, errorItems.length, creationCalls().length]).toEqual([1, 1, 1]);
		});

		test.each<FaultAction>([
			'dropAfterAccept',
			{ status: 504, body: 'gateway', accept: true },
			unclearResponse,
		])(
			'after an unknown outcome (%j), it is created again only with Send Again If Unsure',
			async (action) => {
				emulator.fault({ on: { kind, path }, do: action });
				const failed = await runNode({ node, parameters, items: [good], tries: 3 });
				expect(failed.failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
				expect(creationCalls()).toHaveLength(1);
				const again = { ...parameters, options: { sendAgainIfUnsure: true } };
				emulator.fault({ on: { kind, path }, do: { status: 400, body: {} } });
				const rejected = await runNode({ node, parameters: again, retryOf: failed });
				// A rejected resend doesn't make the first call forgotten.
				const unsure = await runNode({ node, parameters, retryOf: rejected });
				for (const run of [rejected, unsure])
					expect(run.failed).toMatchObject([{ outcomeUnknown: true }]);
				expect(creationCalls()).toHaveLength(mayRepeat ? 2 : 1);
				const retried = await runNode({ node, parameters: again, retryOf: unsure });
				expect(retried.error === undefined).toBe(mayRepeat);
				expect(retried.hints).toHaveLength(mayRepeat ? 1 : 0);
				expect(creationCalls()).toHaveLength(mayRepeat ? 3 : 1);
			},
		);

		test('a second retry, while the first one waits for the rate limit, creates nothing', async () => {
			emulator.fault({ on: { kind, path }, do: { status: 400, body: {} } });
			const failed = await runNode({ node, parameters, items: [good] });
			const headers = { 'retry-after': '30' };
			emulator.fault({ on: { kind, path }, do: { status: 429, headers, body: {} } });
			const first = runNode({ node, parameters, retryOf: failed });
			await pass(5_000);
			await Promise.all([first, runNode({ node, parameters, retryOf: failed })]);
			expect(creationCalls().map(({ status }) => status! < 300)).toEqual([false, false, true]);
		});

		// The call that creates an API key doesn't wait for a rate limit.
		for (const isUnsure of mayRepeat ? [false, true] : [])
			test(`after Stop during the wait for the rate limit, nothing was done, unless an earlier attempt may have done it (${isUnsure})`, async () => {
				const rejection = { status: 400, body: {} };
				emulator.fault({ on: { kind, path }, do: isUnsure ? 'dropAfterAccept' : rejection });
				const first = await runNode({ node, parameters, items: [good] });
				const headers = { 'retry-after': '3' };
				emulator.fault({ on: { kind, path }, do: { status: 429, headers, body: {} } });
				const { failed } = await runNode({
					node,
					parameters: { ...parameters, options: { sendAgainIfUnsure: isUnsure } },
					retryOf: first,
					whileRunning: async (stop) => {
						await pass(1_000);
						stop();
					},
				});
				expect(failed).toMatchObject([{ kind: 'stopped' }]);
				expect(failed[0].charge).toBe(isUnsure ? undefined : 'none');
			});

		test('an unknown outcome that a second retry finds in the memory survives a restart', async () => {
			emulator.fault({ on: { kind, path }, do: { status: 400, body: {} } });
			const rejected = await runNode({ node, parameters, items: [good] });
			emulator.fault({ on: { kind, path }, do: 'dropAfterAccept' });
			await runNode({ node, parameters, retryOf: rejected });
			const second = await runNode({ node, parameters, retryOf: rejected });
			newProcess();
			const third = await runNode({ node, parameters, retryOf: second });
			for (const { failed } of [second, third])
				expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
			expect(creationCalls()).toHaveLength(2);
		});

		test('Execute step after a lost response does not create a second one', async () => {
			emulator.fault({ on: { kind, path }, do: 'dropAfterAccept' });
			const step = { node, parameters, items: [good], mode: 'manual' as const };
			await runNode(step);
			const { failed } = await runNode(step);
			expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
			expect(creationCalls()).toHaveLength(1);
			// Another name means another thing.
			const { error } = await runNode({ ...step, items: [{ json: { name: 'other' } }] });
			expect([error, creationCalls().length]).toEqual([undefined, 2]);
		});

		test('a response that arrives after Stop is kept for the next Execute step', async () => {
			emulator.fault({ on: { kind, path }, do: { delayMs: 2_000 } });
			const step = { node, parameters, items: [good], mode: 'manual' as const };
			const { failed } = await runNode({
				...step,
				whileRunning: stopWhen(() => creationCalls().length === 1),
			});
			expect(failed.map(({ kind: is, charge }) => [is, charge])).toEqual([['stopped', undefined]]);
			await pass(2_000);
			const { error, json } = await runNode(step);
			expect([error, json.length, creationCalls().length]).toEqual([undefined, 1, 1]);
		});
	},
);
