/** Creating endpoints, fine-tune jobs and keys under every fault of the campaign, with Retry On Fail and Retry. */
import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { useBareEmulator } from '../helpers/emulator';
import { retryDataOf, runNode, type RunResult } from '../helpers/runNode';
import { useVirtualTime } from '../helpers/virtualTime';
import { actionOf, FAULTS_ON, type FaultName } from './campaign/faults';
import { errorFaults } from './failures';
import { brokenRules, Ledger, testLedger, type Rule } from './ledger';
import { checkProperty } from './randomRuns';

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
		made: () => emulator.endpoints.production.map((endpoint) => endpoint.endpoint_name),
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
		made: () => emulator.fineTunes.map((job) => job.name),
	},
	'API key': {
		node: 'segmindAccount',
		kind: 'account',
		parameters: { resource: 'apiKey', operation: 'create', name: NAME, verificationToken: NAME },
		made: () => emulator.apiKeys.map((key) => String(key.name)),
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

interface Played extends Story {
	/** Of each press of Retry, the first run included. */
	results: RunResult[];
	/** Of executions of one try: what failed, and what was made by then. What one try says of an item, a later one may change. */
	saidAtOnce: Array<{ failed: RunResult['failed']; madeByThen: string[] }>;
	/** Names of what was made. */
	names: string[];
}

const nameOf = (item: number) => `thing-${item}`;
const lastOf = ({ results }: Played) => results[results.length - 1];

const RULES: Record<string, Rule<Played>> = {
	'nothing is made twice': ({ names }) =>
		[...new Set(names)].map((name) =>
			names.indexOf(name) === names.lastIndexOf(name) ? undefined : name,
		),
	'what succeeds was made': (played) => {
		const { faults, items, names } = played;
		if (lastOf(played).error || faults.some(({ what }) => what.startsWith('200'))) return [];
		const wanted = Array.from({ length: items }, (_unused, at) => nameOf(at));
		return wanted.map((name) => (names.includes(name) ? undefined : name));
	},
	'each item gives an item': (played) => {
		const { error, items } = lastOf(played);
		if (error) return [];
		return [items.length === played.items ? undefined : `${items.length} for ${played.items}`];
	},
	// Of several items the made ones are kept for the next Retry.
	'what may have been made is told': (played) => {
		const { error, failed } = lastOf(played);
		const isTold = (item: number) =>
			played.results.some((one) =>
				one.failed.some((other) => other.item === item && other.outcomeUnknown),
			);
		return failed
			.filter(({ item }) => error && played.names.includes(nameOf(item)))
			.map(({ item, message }) => (isTold(item) ? undefined : message));
	},
	'what is said to be free was not made': ({ saidAtOnce }) =>
		saidAtOnce.flatMap(({ failed, madeByThen }) =>
			failed
				.filter(({ charge }) => charge === 'none')
				.map(({ item, message }) => (madeByThen.includes(nameOf(item)) ? message : undefined)),
		),
	'each error is one of the package': ({ results }) => results.flatMap(errorFaults),
	'the key goes nowhere': ({ results }) => {
		const told = JSON.stringify(
			results.map(({ log, error, failed }) => [log, error?.message, failed]),
		);
		const { key, leaks } = emulator;
		return [leaks.length === 0 && !told.includes(key) ? undefined : told];
	},
};

const ledger = new Ledger(Object.keys(RULES));
let played = 0;

async function play(creation: Creation, story: Story): Promise<Played> {
	const { node, kind, parameters, made } = creation;
	time.restart();
	emulator.reset();
	emulator.set({ fineTuneOpen: true });
	const before = made().length;
	for (const { after, times, what } of story.faults)
		emulator.fault({ on: [kind], after, times, do: actionOf(what, emulator) });
	const items = Array.from({ length: story.items }, (_unused, at) => ({
		json: { name: nameOf(at) },
	}));
	const credentialId = `manager ${++played}`;
	const results: RunResult[] = [];
	const saidAtOnce: Played['saidAtOnce'] = [];
	/** Gives whether it failed. */
	const execute = async (tries: number) => {
		const last = results.at(-1);
		const resume = last && retryDataOf(last.stored);
		const account = { emulator, credentialId };
		const running = runNode({ ...account, node, parameters, items, tries, resume });
		const result = await time.run(running, 48 * 3_600_000);
		results.push(result);
		if (tries === 1) saidAtOnce.push({ failed: result.failed, madeByThen: made().slice(before) });
		return result.error !== undefined;
	};
	let failing = true;
	for (const tries of story.tries) if (failing) failing = await execute(tries);
	emulator.clearFaults();
	if (failing) await execute(1);
	return { ...story, results, saidAtOnce, names: made().slice(before) };
}

test.each(Object.keys(CREATIONS))(
	`%s: made once, or reported as an unknown outcome, whatever the response`,
	async (name) => {
		await checkProperty(60, stories, async (story) => {
			expect(brokenRules(RULES, await play(CREATIONS[name], story), ledger)).toEqual([]);
		});
	},
);

testLedger('management', ledger);
