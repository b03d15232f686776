/** The polling trigger and the pickers with hostile responses and corrupt static data. */
import * as fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { search } from '../helpers/runNode';
import { PollHost } from '../helpers/triggers';
import { faultOfError } from './failures';
import { responseFault, body, headers, json, text, useHostileService, words } from './hostile';
import { checkProperty } from './randomRuns';

const service = useHostileService('hostile triggers', [
	'each error of a trigger is readable',
	'each output of a trigger is an item',
	'each entry of a picker has a name and a value',
]);

const LISTED_REQUESTS = 'abc, http://evil.example/v2/requests/x';
const EVENTS: INodeParameters[] = [
	{ event: 'requestFinished' },
	{
		event: 'requestFinished',
		watch: 'requests',
		requests: LISTED_REQUESTS,
	},
	{ event: 'fineTuneStatusChanged' },
	{ event: 'creditsBelow', threshold: 1_000 },
];
const READING_CALLS = words(
	'history status result poll finetune credits file models endpoint',
) as CallKind[];

let pollers = 0;
/** Makes URLs unique, because pickers keep a list for a minute. */
let urlCount = 0;
const poller = (parameters: INodeParameters) =>
	new PollHost({ emulator: service.emulator, parameters, credentialId: `poller ${++pollers}` });

function expectReadableError(error: unknown): void {
	expect(faultOfError(error as Error)).toBeUndefined();
	service.ledger.count('each error of a trigger is readable');
}

/** Waits for the items or the error of a poll, and checks them. */
async function checkOutcome(work: Promise<INodeExecutionData[] | undefined>): Promise<void> {
	const items = await service.complete(work).catch((error: unknown) => expectReadableError(error));
	for (const item of items ?? []) {
		expect(item.json).toEqual(expect.any(Object));
		service.ledger.count('each output of a trigger is an item');
	}
}

const status = fc.oneof(
	{ arbitrary: fc.constant(200), weight: 4 },
	{ arbitrary: fc.constantFrom(204, 302, 400, 401, 403, 404, 422, 429, 500, 503), weight: 1 },
);

/** Replaces nothing, the state in the static data, or all static data of the node. */
const staticData = fc.record({
	replaces: fc.constantFrom('nothing', 'nothing', 'state', 'all'),
	by: fc.oneof(
		json,
		fc.dictionary(
			fc.constantFrom('mark', 'seen', 'done', 'missing', 'cursor', 'total', 'process'),
			json,
		),
	),
});

test('polls with any responses and any static data give items or readable errors', async () => {
	await checkProperty(
		250,
		fc.tuple(fc.constantFrom(...EVENTS), status, body, headers, staticData, fc.boolean()),
		async ([parameters, code, responseBody, responseHeaders, { replaces, by }, isHostile]) => {
			service.resetWithFault(
				isHostile ? READING_CALLS : ['hostile'],
				isHostile ? responseFault(code, responseBody, responseHeaders) : 'hang',
			);
			const host = poller(parameters);
			await checkOutcome(host.activate());
			const { segmind } = host.staticData;
			if (segmind && replaces !== 'nothing')
				host.staticData.segmind =
					replaces === 'all' ? by : { ...(segmind as IDataObject), state: by };
			await checkOutcome(host.reactivate());
			await checkOutcome(host.poll());
			await checkOutcome(host.fetchTestEvent());
			host.errors.forEach(expectReadableError);
		},
	);
});

/** Any model that n8n can convert to text. It does so to decide which fields it shows, which fails for JSON with a member named "toString". */
const model = fc.oneof(text, json).filter((value) => {
	try {
		String(value);
		return true;
	} catch {
		return false;
	}
});

test('pickers return entries with a name and a value, whatever the response', async () => {
	const METHODS: Array<[string, string]> = [
		['segmind', 'searchModels'],
		['segmindEndpoint', 'searchEndpoints'],
		['segmindFineTune', 'searchFineTunes'],
	];
	await checkProperty(
		150,
		fc.tuple(fc.constantFrom(...METHODS), status, body, headers, text, model),
		async ([[node, method], code, responseBody, responseHeaders, filter, chosen]) => {
			service.resetWithFault(READING_CALLS, responseFault(code, responseBody, responseHeaders));
			// The node caches a list for a minute. A new URL makes it read the list again.
			const credential = {
				endpointAdminUrl: `${service.emulator.urls.admin}${'/'.repeat(++urlCount)}`,
			};
			const { results } = await service.complete(
				search({
					emulator: service.emulator,
					credential,
					node,
					method,
					filter,
					parameters: { model: chosen } as INodeParameters,
				}),
			);
			service.ledger.count('each entry of a picker has a name and a value', results.length);
			for (const { name, value } of results)
				expect([typeof name, typeof value]).toEqual([
					'string',
					expect.stringMatching(/string|number/),
				]);
		},
	);
});

service.testLedger();
