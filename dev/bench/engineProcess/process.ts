/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The process that measures: n8n's engine of the installed n8n, run by the Node it brings, with our nodes as built. */
import '../../engine/environment';

import { createRequire } from 'node:module';

import { storeBinariesOnDisk } from '../../engine/binaries';
import type { Answer, Request } from './messages';
import { runWorkflow, type Stop } from './runWorkflow';

const load = createRequire(__filename);
const tell = (answer: Answer) => process.send?.(answer);
let stop: Stop | undefined;

async function answer(request: Exclude<Request, { kind: 'stop' }>): Promise<Answer> {
	const report = await runWorkflow(request.run, (pressed) => (stop = pressed));
	stop = undefined;
	return { kind: 'ran', report };
}

process.on('message', (request: Request) => {
	if (request.kind === 'stop') stop?.();
	else
		void answer(request).then(tell, ({ stack, message }: Error) =>
			tell({ kind: 'broke', problem: stack ?? message }),
		);
});
process.once('disconnect', () => process.exit());

void storeBinariesOnDisk().then(() => {
	const versionOf = (name: string) => (load(`${name}/package.json`) as { version: string }).version;
	const versions = {
		node: process.version,
		...Object.fromEntries(
			['n8n', 'n8n-core', 'n8n-workflow', 'n8n-nodes-base'].map((name) => [name, versionOf(name)]),
		),
	};
	tell({ kind: 'ready', versions });
});
