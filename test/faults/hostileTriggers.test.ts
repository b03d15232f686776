/** The polling trigger and the pickers with hostile responses and corrupt static data. */
import * as fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { search } from '../helpers/runNode';
import { PollHost } from '../helpers/triggers';
import { unreadable } from './failures';
import { responseFault, body, headers, json, text, useHostileService, words } from './hostile';
import { checkProperty } from './randomRuns';

const service = useHostileService('hostile triggers', [
	'what a trigger throws is ours',
	'what a trigger gives is an item',
	'what a picker lists has a name and a value',
]);

const LISTED = 'abc, http://evil.example/v2/requests/x';
const EVENTS: INodeParameters[] = [
	{ event: 'requestFinished', options: { emitExisting: true } },
	{
		event: 'requestFinished',
		watch: 'requests',
		requests: LISTED,
		options: { emitExpired: true, downloadOutput: true },
	},
	{ event: 'fineTuneStatusChanged', options: { emitExisting: true } },
	{ event: 'creditsBelow', threshold: 1_000, options: { emitExisting: true } },
];
const READS = words(
	'history status result poll finetune credits file models endpoint',
) as CallKind[];

let pollers = 0;
const poller = (parameters: INodeParameters) =>
	new PollHost({ emulator: service.emulator, parameters, credentialId: `poller ${++pollers}` });

/** Expects one of n8n's errors with a readable text. */
function expectCivil(error: unknown): void {
	const { name, message, description = '' } = error as Error & { description?: string };
	// What nobody wrote for a person is thrown as it is.
	expect([name, message]).toEqual([expect.stringMatching(/^Node(Api|Operation)Error$/), message]);
	expect(unreadable(message) ?? unreadable(description)).toBeUndefined();
	service.ledger.count('what a trigger throws is ours');
}

async function settled(work: Promise<INodeExecutionData[] | undefined>): Promise<void> {
	const items = await service.within(work).catch((error: unknown) => expectCivil(error));
	for (const { json: put } of items ?? []) {
		expect(put).toEqual(expect.any(Object));
		service.ledger.count('what a trigger gives is an item');
	}
}

const status = fc.oneof(
	{ arbitrary: fc.constant(200), weight: 4 },
	{ arbitrary: fc.constantFrom(204, 302, 400, 401, 403, 404, 422, 429, 500, 503), weight: 1 },
);

test('polls with any responses give items or readable errors', async () => {
	await checkProperty(
		150,
		fc.tuple(fc.constantFrom(...EVENTS), status, body, headers),
		async ([parameters, code, sent, told]) => {
			service.resetWithFault(READS, responseFault(code, sent, told));
			const host = poller(parameters);
			await settled(host.activate());
			await settled(host.poll());
			await settled(host.fetchTestEvent());
			host.errors.forEach(expectCivil);
		},
	);
});

test('with static data of any shape, a trigger starts over', async () => {
	await checkProperty(
		150,
		fc.tuple(
			fc.constantFrom(...EVENTS),
			fc.oneof(
				json,
				fc.dictionary(
					fc.constantFrom('mark', 'seen', 'done', 'missing', 'cursor', 'total', 'process'),
					json,
				),
			),
			fc.boolean(),
		),
		async ([parameters, garbage, isState]) => {
			service.resetWithFault(['hostile'], 'hang');
			const host = poller(parameters);
			await settled(host.activate());
			const { staticData: saved } = host;
			if (saved.segmind)
				Object.assign(
					saved,
					isState
						? { segmind: { ...(saved.segmind as IDataObject), state: garbage } }
						: { segmind: garbage },
				);
			await settled(host.reactivate());
			await settled(host.poll());
			host.errors.forEach(expectCivil);
		},
	);
});

/** Any model that n8n can convert to text. It does so to decide which fields it shows, and fails for an object with its own `toString`. */
const model = fc.oneof(text, json).filter((value) => {
	try {
		String(value);
		return true;
	} catch {
		return false;
	}
});

test('list searches return a list', async () => {
	const METHODS: Array<[string, string]> = [
		['segmind', 'searchModels'],
		['segmindEndpoint', 'searchEndpoints'],
		['segmindEndpoint', 'searchGpus'],
		['segmindEndpoint', 'searchScalerTypes'],
		['segmindFineTune', 'searchFineTunes'],
	];
	await checkProperty(
		150,
		fc.tuple(fc.constantFrom(...METHODS), status, body, headers, text, model),
		async ([[node, method], code, sent, told, filter, chosen]) => {
			service.resetWithFault(READS, responseFault(code, sent, told));
			// The list is kept for a minute.
			const credential = {
				endpointAdminUrl: `${service.emulator.urls.admin}${'/'.repeat(++pollers)}`,
			};
			const { results } = await service.within(
				search({
					emulator: service.emulator,
					credential,
					node,
					method,
					filter,
					parameters: { model: chosen } as INodeParameters,
				}),
			);
			service.ledger.count('what a picker lists has a name and a value', results.length);
			for (const { name, value } of results)
				expect([typeof name, typeof value]).toEqual([
					'string',
					expect.stringMatching(/string|number/),
				]);
		},
	);
});

service.testLedger();
