/** What endpoints, trainings and keys go through: each creation under every fault of faultKinds.ts, with Retry On Fail and Retry pressed. */
import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { useBareEmulator } from '../helpers/emulator';
import { forRetry, runNode, type RunResult } from '../helpers/runNode';
import { useVirtualTime } from '../helpers/virtualTime';
import { actionOf, FAULTS_ON, type FaultName } from './campaign/faults';
import { errorFaults } from './failures';
import { Ledger, testLedger } from './ledger';
import { holdsFor } from './randomRuns';

const time = useVirtualTime();
const emulator = useBareEmulator({ fineTuneOpen: true });

/** Something that costs, or that nobody wants twice. */
interface Creation {
	node: string;
	kind: CallKind;
	/** Those that make it; `$json.name` is the item's own. */
	parameters: INodeParameters;
	/** Names of what the service made. */
	made: () => string[];
}

const NAME = '={{ $json.name }}';
const CREATIONS: Record<string, Creation> = {
	endpoint: {
		node: 'segmindEndpoint',
		kind: 'endpoint',
		parameters: { operation: 'create', endpointName: NAME, modelName: 'flux-dev' },
		made: () => emulator.it.endpoints.production.map((endpoint) => endpoint.endpoint_name),
	},
	'training job': {
		node: 'segmindFineTune',
		kind: 'finetune',
		parameters: {
			resource: 'job',
			operation: 'submit',
			variant: 'fluxPro',
			name: NAME,
			dataSourcePath: 'https://example.com/sneakers.zip',
			instancePrompt: 'a photo of TOK sneakers',
		},
		made: () => emulator.it.fineTunes.map((job) => job.name),
	},
	'API key': {
		node: 'segmindAccount',
		kind: 'account',
		parameters: { resource: 'apiKey', operation: 'create', name: NAME, verificationToken: NAME },
		made: () => emulator.it.apiKeys.map((key) => String(key.name)),
	},
};

interface Story {
	items: number;
	faults: Array<{ after: number; times: number; what: FaultName }>;
	/** Tries of Retry On Fail in each press of Retry. */
	tries: number[];
}

const stories: fc.Arbitrary<Story> = fc.record({
	items: fc.integer({ min: 1, max: 3 }),
	faults: fc.array(
		fc.record({
			after: fc.integer({ min: 0, max: 3 }),
			times: fc.integer({ min: 1, max: 3 }),
			what: fc.constantFrom<FaultName>(...FAULTS_ON.upload.flat()),
		}),
		{ minLength: 1, maxLength: 3 },
	),
	tries: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
});

const ledger = new Ledger([
	'nothing is made twice',
	'what succeeds was made',
	'what may have been made is told',
	'what is said to be free was not made',
	'errors are ours',
	'the key goes nowhere',
]);

let played = 0;

async function play(creation: Creation, { items, faults, tries }: Story): Promise<string[]> {
	const { node, kind, parameters, made } = creation;
	time.restart();
	emulator.it.reset();
	emulator.it.set({ fineTuneOpen: true });
	const before = made().length;
	for (const { after, times, what } of faults)
		emulator.it.fault({ on: [kind], after, times, do: actionOf(what, emulator.it) });
	const named = Array.from({ length: items }, (_unused, at) => ({ json: { name: `thing-${at}` } }));
	const credentialId = `manager ${++played}`;
	const results: RunResult[] = [];
	/** Of executions of one try: what failed, and what was made by then. */
	const saidAtOnce: Array<[RunResult['failed'], string[]]> = [];
	const execute = async (times: number) => {
		const last = results.at(-1);
		const resume = last && forRetry(last.stored);
		const running = runNode({
			emulator: emulator.it,
			node,
			parameters,
			items: named,
			tries: times,
			resume,
			credentialId,
		});
		results.push(await time.run(running, 48 * 3_600_000));
		// What one try says of an item, a later one may change.
		if (times === 1) saidAtOnce.push([results.at(-1)!.failed, made().slice(before)]);
		return results.at(-1)?.error !== undefined;
	};
	let failing = true;
	for (const times of tries) if (failing) failing = await execute(times);
	emulator.it.clearFaults();
	if (failing) await execute(1);

	const names = made().slice(before);
	const last = results[results.length - 1];
	const found: string[] = [];
	const holds = (rule: string, isTrue: boolean, what: string) => {
		ledger.count(rule);
		if (!isTrue) found.push(`${rule}: ${what}`);
	};
	for (const name of new Set(names))
		holds('nothing is made twice', names.indexOf(name) === names.lastIndexOf(name), name);
	if (last.error === undefined && !faults.some(({ what }) => what.startsWith('200')))
		for (const { json } of named)
			holds('what succeeds was made', names.includes(json.name), json.name);
	for (const fault of results.flatMap(errorFaults)) holds('errors are ours', !fault, fault ?? '');
	if (last.error === undefined && last.items.length !== items)
		found.push(`${last.items.length} items for ${items}`);
	// Of several items the made ones are kept for the next Retry.
	if (last.error)
		for (const { item, message } of last.failed.filter((one) =>
			names.includes(`thing-${one.item}`),
		))
			holds(
				'what may have been made is told',
				results.some(({ failed }) => failed.some((one) => one.item === item && one.outcomeUnknown)),
				message,
			);
	for (const [failed, madeByThen] of saidAtOnce)
		for (const { item, charge, message } of failed)
			if (charge === 'none')
				holds(
					'what is said to be free was not made',
					!madeByThen.includes(`thing-${item}`),
					message,
				);
	const told = JSON.stringify(
		results.map(({ log, error, failed }) => [log, error?.message, failed]),
	);
	holds(
		'the key goes nowhere',
		emulator.it.leaks.length === 0 && !told.includes(emulator.it.key),
		told,
	);
	return found;
}

test.each(Object.keys(CREATIONS))(
	`%s: made once, or said to be uncertain, whatever is answered`,
	async (name) => {
		await holdsFor(60, stories, async (story) => {
			expect(await play(CREATIONS[name], story)).toEqual([]);
		});
	},
);

testLedger('management', ledger);
