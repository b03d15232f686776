/** Creating endpoints, fine-tune jobs and keys under every fault of the campaign, with Retry On Fail and Retry. */
import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { useBareEmulator } from '../helpers/emulator';
import { namedJobParams } from '../helpers/fineTune';
import { retryDataOf, runNode, type RunResult } from '../helpers/runNode';
import { useVirtualTime } from '../helpers/virtualTime';
import { actionOf, FAULTS_ON, type FaultName } from './campaign/faults';
import { errorFaults } from './failures';
import { brokenRules, Ledger, testLedger, type Rule } from './ledger';
import { checkProperty } from './randomRuns';

const time = useVirtualTime();
const emulator = useBareEmulator({ fineTuneOpen: true });

/** An operation that creates something which costs money, or which nobody wants twice. */
interface Creation {
	node: string;
	kind: CallKind;
	parameters: INodeParameters;
	/** Returns the names of everything that the service has created. */
	createdNames: () => string[];
}

const NAME = '={{ $json.name }}';
const CREATIONS: Record<string, Creation> = {
	endpoint: {
		node: 'segmindEndpoint',
		kind: 'endpoint',
		parameters: { operation: 'create', endpointName: NAME, modelName: 'flux-dev' },
		createdNames: () => emulator.endpoints.production.map((endpoint) => endpoint.endpoint_name),
	},
	'training job': {
		node: 'segmindFineTune',
		kind: 'finetune',
		parameters: namedJobParams,
		createdNames: () => emulator.fineTunes.map((job) => job.name),
	},
	'API key': {
		node: 'segmindAccount',
		kind: 'account',
		parameters: { resource: 'apiKey', operation: 'create', name: NAME, verificationToken: NAME },
		createdNames: () => emulator.apiKeys.map((key) => String(key.name)),
	},
};

interface Story {
	items: number;
	faults: Array<{ after: number; times: number; what: FaultName }>;
	/** Max. Tries of each execution: the first, then one per press of Retry. */
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
	/** The results of the first execution and of each press of Retry. */
	results: RunResult[];
	/** For each execution with a single attempt: what failed, and what had been created by then. With more attempts, a later one may change it. */
	singleAttempts: Array<{ failed: RunResult['failed']; createdByThen: string[] }>;
	/** The names of everything that was created. */
	names: string[];
}

const nameOf = (item: number) => `thing-${item}`;
const lastOf = ({ results }: Played) => results[results.length - 1];

const RULES: Record<string, Rule<Played>> = {
	'nothing is created twice': ({ names }) =>
		[...new Set(names)].map((name) =>
			names.indexOf(name) === names.lastIndexOf(name) ? undefined : name,
		),
	'everything that succeeds was created': (played) => {
		const { faults, items, names } = played;
		if (lastOf(played).error || faults.some(({ what }) => what.startsWith('200'))) return [];
		const wanted = Array.from({ length: items }, (_unused, at) => nameOf(at));
		return wanted.map((name) => (names.includes(name) ? undefined : name));
	},
	'each input item has an output item': (played) => {
		const { error, items } = lastOf(played);
		if (error) return [];
		return [items.length === played.items ? undefined : `${items.length} for ${played.items}`];
	},
	// If some of several items succeeded, they are stored for the next Retry.
	'everything that may have been created is reported': (played) => {
		const { error, failed } = lastOf(played);
		const isReported = (item: number) =>
			played.results.some((one) =>
				one.failed.some((other) => other.item === item && other.outcomeUnknown),
			);
		return failed
			.filter(({ item }) => error && played.names.includes(nameOf(item)))
			.map(({ item, message }) => (isReported(item) ? undefined : message));
	},
	'nothing that is reported as free was created': ({ singleAttempts }) =>
		singleAttempts.flatMap(({ failed, createdByThen }) =>
			failed
				.filter(({ charge }) => charge === 'none')
				.map(({ item, message }) => (createdByThen.includes(nameOf(item)) ? message : undefined)),
		),
	'each error is written by the package': ({ results }) => results.flatMap(errorFaults),
	'the key does not leak': ({ results }) => {
		const texts = JSON.stringify(
			results.map(({ log, error, failed }) => [log, error?.message, failed]),
		);
		const { key, leaks } = emulator;
		return [leaks.length === 0 && !texts.includes(key) ? undefined : texts];
	},
};

const ledger = new Ledger(Object.keys(RULES));
let playedStories = 0;

async function play(creation: Creation, story: Story): Promise<Played> {
	const { node, kind, parameters, createdNames } = creation;
	time.restart();
	emulator.reset();
	emulator.set({ fineTuneOpen: true });
	const countBefore = createdNames().length;
	for (const { after, times, what } of story.faults)
		emulator.fault({ on: [kind], after, times, do: actionOf(what, emulator) });
	const items = Array.from({ length: story.items }, (_unused, at) => ({
		json: { name: nameOf(at) },
	}));
	const credentialId = `manager ${++playedStories}`;
	const results: RunResult[] = [];
	const singleAttempts: Played['singleAttempts'] = [];
	/** Runs the node, or retries it. Returns whether it failed. */
	const execute = async (tries: number) => {
		const last = results.at(-1);
		const retryData = last && retryDataOf(last.stored);
		const account = { emulator, credentialId };
		const running = runNode({ ...account, node, parameters, items, tries, retryData });
		const result = await time.run(running, 48 * 3_600_000);
		results.push(result);
		if (tries === 1)
			singleAttempts.push({
				failed: result.failed,
				createdByThen: createdNames().slice(countBefore),
			});
		return result.error !== undefined;
	};
	let hasFailed = true;
	for (const tries of story.tries) if (hasFailed) hasFailed = await execute(tries);
	emulator.clearFaults();
	if (hasFailed) await execute(1);
	return { ...story, results, singleAttempts, names: createdNames().slice(countBefore) };
}

test.each(Object.keys(CREATIONS))(
	`%s: created once, or reported as an unknown outcome, whatever the response`,
	async (name) => {
		await checkProperty(60, stories, async (story) => {
			expect(brokenRules(RULES, await play(CREATIONS[name], story), ledger)).toEqual([]);
		});
	},
);

testLedger('management', ledger);
