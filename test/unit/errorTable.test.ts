/** Every text of an error is short, and the right row explains each error response. */
import { CHARGE, type Charge, type FailureFacts } from '../../nodes/shared/base/failure';
import {
	NAMED_CAUSES,
	rowOfStatus,
	STATUSES,
	type CallPurpose,
} from '../../nodes/shared/errors/statusTable';
import { costSentence } from '../../nodes/shared/items/itemErrors';
import { CHARS, CHARS_OF_AGENT, measure, SENTENCES } from '../helpers/brevity';

/** What happened and the next step, for each error status: of a rejected request and of a status check. `runNode` measures all other errors. */
const ROWS = Object.values({ ...STATUSES, ...NAMED_CAUSES });
const ROWS_OF_CHECKS = Object.keys(STATUSES).map((key) => rowOfStatus(parseInt(key, 10), 'status'));

test.each(['retry', 'step', 'newRun', 'newCall'] as const)(
	'an error is short, with what happens at the next attempt: %s',
	(again) => {
		const sentence = (charge: Charge, retry?: FailureFacts['retry']) =>
			costSentence({ kind: 'rejected', charge, retry, requestId: 'r-1' }, again);
		for (const charge of Object.keys(CHARGE) as Charge[])
			for (const retry of [undefined, 'searches', 'resends', 'neverResends'] as const)
				expect(measure(sentence(charge, retry)).sentences).toBe(1);
		const texts = [
			...ROWS.map(({ what, next }) => `It failed: ${what}. ${sentence('none')} ${next}`),
			...ROWS_OF_CHECKS.map(
				({ what, next }) =>
					`The status check failed: ${what} (HTTP 500). ${sentence('ifCompletes')} ${next}`,
			),
		];
		const most = { sentences: SENTENCES, chars: again === 'newCall' ? CHARS_OF_AGENT : CHARS };
		const long = texts.filter((text) => {
			const { sentences, chars } = measure(text);
			return sentences > most.sentences || chars > most.chars;
		});
		expect(long).toEqual([]);
	},
);

test.each<[number, CallPurpose, keyof typeof STATUSES]>([
	[400, 'submit', '400'],
	[400, 'manage', '400'],
	[403, 'manage', '403'],
	[404, 'submit', '404 paid'],
	[404, 'oneCall', '404 paid'],
	[404, 'workflow', '404 workflow'],
	[404, 'credits', '404 credits'],
	[404, 'account', '404 account'],
	[404, 'apiKey', '404 manage'],
	[404, 'read', '404'],
	[406, 'submit', '406 paid'],
	[406, 'workflow', '406 paid'],
	[406, 'oneCall', '406 paid'],
	[406, 'upload', '406'],
	[406, 'manage', '406'],
	[499, 'submit', '499'],
	[500, 'submit', '5xx paid'],
	[502, 'submit', '502'],
	[520, 'manage', '5xx'],
	[302, 'submit', '3xx'],
	[401, 'status', '401'],
	[401, 'apiKey', '401 apiKey'],
	[500, 'account', '5xx'],
	[200, 'account', '2xx manage'],
	[418, 'submit', 'other'],
	[418, 'workflow', '4xx workflow'],
])('HTTP %i for the purpose %s is explained by the row %s', (status, purpose, name) => {
	expect(rowOfStatus(status, purpose)).toBe(STATUSES[name]);
});
