/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import type { EmulatorOptions, FaultSpec } from '../../dev/emulator';
import { runProbes, type Allowed, type Finding } from '../../dev/live/live';
import { probesFor } from '../../dev/live/probes';
import { reportOf, textOf, exitCodeOf } from '../../dev/live/report';
import { CREDENTIAL_TYPES, actionNode } from '../helpers/packageNodes';
import { useVirtualEngine } from '../helpers/virtualEngine';

const PRICES = readFileSync(join(ROOT, 'dev/catalogue/llms.txt'), 'utf8');
const EVERYTHING = { spend: 0.05, upload: true };

const { emulator, during } = useVirtualEngine({ queueMs: 2_500, jobMs: 2_500 });

let lines: string[];
beforeEach(() => (lines = []));

async function run(allowed: Allowed = {}, only?: string, accessToken?: string) {
	const { it } = emulator;
	it.fault({ on: { origin: 'console', path: 'llms.txt' }, times: 'always', do: { status: 200, body: PRICES } });
	const accountUrls = [it.session.accountUrl, it.urls.hostile, it.urls.console];
	const target = {
		node: actionNode,
		credentialTypes: CREDENTIAL_TYPES,
		credential: it.credentials,
		accessToken,
		accountUrls,
		pricesUrl: `${it.urls.console}/llms.txt`,
		signal: new AbortController().signal,
	};
	const probes = probesFor(accountUrls).filter(({ name }) => only === undefined || only === name);
	return await during(runProbes(probes, target, allowed, (line) => lines.push(line)));
}

test('confirms every fact at an emulator that follows them', async () => {
	emulator.it.set({ rateLimit: { perMinute: 12, sendRemaining: true } });
	emulator.it.submitElsewhere({ slug: 'nano-banana', input: { prompt: 'x' } });
	const findings = await run(EVERYTHING);
	console.log(lines.join('\n') + '\n' + textOf(findings));
	console.log(emulator.it.counts, emulator.it.calls.length, emulator.it.charged);
});
