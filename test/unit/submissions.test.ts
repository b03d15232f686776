/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { inspect } from 'node:util';

import { VirtualClock } from '../../dev/simulation/virtualClock';
import { Submissions } from '../../nodes/shared/journal/submissions';

const HOUR_MS = 3_600_000;

it.each(['refuse', 'lose'] as const)(
	'%s: bodies that nobody sends again are forgotten, so that memory does not grow for ever',
	async (ends) => {
		const clock = new VirtualClock();
		const register = new Submissions(clock);
		const end = (body: string) => {
			const submission = register.begin({ key: body, alike: body }, clock.now());
			if (ends === 'refuse') register.refuse(submission, clock.now());
			else register.lose(submission, clock.now(), false);
		};
		for (let at = 0; at < 10; at++) end(`old body ${at}`);
		await clock.advance(HOUR_MS);
		end('newer body');
		await clock.advance(1.5 * HOUR_MS);
		end('new body');
		const kept = inspect(register, { depth: 5, maxArrayLength: null });
		expect(kept).not.toContain('old body');
		expect(kept).toContain('newer body');
		expect(kept).toContain('new body');
	},
);
