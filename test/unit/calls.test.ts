/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { inspect } from 'node:util';

import { VirtualClock } from '../helpers/virtualClock';
import { CallRegister } from '../../nodes/shared/journal/callRegister';

const HOUR_MS = 3_600_000;

it('forgets lost calls that nobody sends again, so that memory stays bounded', async () => {
	const clock = new VirtualClock();
	const register = new CallRegister(clock);
	const lose = (likeness: string) => {
		register.begin(likeness, likeness);
		register.lose(likeness);
	};
	for (let at = 0; at < 10; at++) lose(`old body ${at}`);
	await clock.pass(HOUR_MS);
	lose('newer body');
	await clock.pass(1.5 * HOUR_MS);
	lose('new body');
	const kept = inspect(register, { depth: 5, maxArrayLength: null });
	expect(kept).not.toContain('old body');
	expect(kept).toContain('newer body');
	expect(kept).toContain('new body');
});
