/** The right row explains each error response. */
import { STATUSES, type CallPurpose, type StatusRow } from '../../nodes/shared/errors/statusTable';
import { explainStatus } from '../../nodes/shared/errors/failures';
import { rejectionPattern } from '../helpers/errorTexts';

test.each<[number, CallPurpose, string, keyof typeof STATUSES]>([
	[400, 'submit', '', '400'],
	[400, 'manage', '', '400 manage'],
	[404, 'submit', '', '404 submit'],
	[404, 'workflow', '', '404 workflow'],
	[404, 'credits', '', '404 credits'],
	[404, 'read', '', '404'],
	[406, 'submit', 'Not enough credits', '406 submit'],
	[406, 'workflow', '', '406 workflow'],
	[406, 'oneCall', 'a text that nobody has seen', '406 oneCall'],
	[406, 'upload', 'Invalid content type', '406'],
	[406, 'manage', '', '406'],
	[499, 'submit', '', '499'],
	[500, 'submit', 'content type', '5xx'],
	[502, 'submit', '', '502'],
	[520, 'manage', '', '5xx manage'],
	[302, 'submit', '', '3xx'],
	[401, 'apiKey', '', '401 apiKey'],
	[500, 'account', '', '5xx manage'],
	[418, 'submit', '', 'other'],
])(
	'HTTP %i for the purpose %s with the reason "%s" is explained by the row %s',
	(status, purpose, reason, name) => {
		const { message, fatal } = explainStatus({ purpose, status, reason, subject: "model 'x'" });
		expect(message).toMatch(rejectionPattern(name, reason));
		expect(fatal).toBe((STATUSES[name] as StatusRow).fatal);
	},
);

test.each([400, 401, 403, 404, 410, 422, 500])(
	"the advice for HTTP %i doesn't guess what a managing call was for",
	(status) => {
		const call = { purpose: 'manage', subject: 'an unknown path', reason: '' } as const;
		expect(explainStatus({ ...call, status })).toMatchObject({
			advice: expect.not.stringMatching(/endpoint|fine-tun|model/i) as string,
		});
	},
);

test.each<[CallPurpose, string | undefined, string]>([
	['submit', undefined, 'none'],
	['credits', undefined, 'none'],
	['status', undefined, 'none'],
	['status', 'r-1', 'chargedIfCompletes'],
	['result', 'r-1', 'chargedIfCompletes'],
	['manage', undefined, 'none'],
	['manage', 'r-1', 'chargedIfCompletes'],
])(
	'HTTP 403 for the purpose %s with the request ID %p has the charge %s',
	(purpose, requestId, charge) => {
		const statusCase = { purpose, status: 403, reason: '', subject: 'it', requestId };
		expect(explainStatus(statusCase).charge).toBe(charge);
	},
);
