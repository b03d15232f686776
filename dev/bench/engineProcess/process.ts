/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The process that measures: the engine of the installed n8n, with its own Node.js, and our built nodes. */
import '../../engine/environment';

import { createRequire } from 'node:module';

import { storeBinariesOnDisk } from '../../engine/binaries';
import type { EngineMessage, EngineRequest } from './messages';
import { runWorkflow, type Stop } from './runWorkflow';

const load = createRequire(__filename);
const send = (message: EngineMessage) => process.send?.(message);
let stop: Stop | undefined;

async function handle(request: Exclude<EngineRequest, { kind: 'stop' }>): Promise<EngineMessage> {
	const report = await runWorkflow(request.run, (stopRun) => (stop = stopRun));
	stop = undefined;
	return { kind: 'ran', report };
}

process.on('message', (request: EngineRequest) => {
	if (request.kind === 'stop') stop?.();
	else
		void handle(request).then(send, ({ stack, message }: Error) =>
			send({ kind: 'broke', problem: stack ?? message }),
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
	send({ kind: 'ready', versions });
});
