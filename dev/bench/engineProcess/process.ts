/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The process that measures: the engine of the installed n8n, with its own Node.js, and our built nodes. */
import '../../engine/environment';

import { createRequire } from 'node:module';

import type { IRun } from 'n8n-workflow';

import { builtCredentials, builtNodes, instanceOf } from '../../base/builtNodes';
import { storeBinariesOnDisk, storeBinary, zeroBytes } from '../../engine/binaries';
import { CredentialStore } from '../../engine/credentialStore';
import { execute } from '../../engine/execution';
import { createNodeTypes, type AnyNodeType } from '../../engine/node';
import type { EngineMessage, RunReport, WorkflowRun } from './engine';

/** The files of n8n's own nodes that users build a polling loop with, by type name. */
const STOCK_FILES: Record<string, string> = {
	'n8n-nodes-base.httpRequest': 'HttpRequest/HttpRequest',
	'n8n-nodes-base.wait': 'Wait/Wait',
	'n8n-nodes-base.if': 'If/If',
	'n8n-nodes-base.extractFromFile': 'Files/ExtractFromFile/ExtractFromFile',
};
/** The interval of memory samples, each of which takes about a millisecond. */
const SAMPLE_MS = 50;

const knownTypes: Record<string, AnyNodeType> = builtNodes();
const nodeTypes = createNodeTypes(
	(type) =>
		(knownTypes[type] ??= instanceOf(`n8n-nodes-base/dist/nodes/${STOCK_FILES[type]}.node.js`)),
);
/** Makes execution IDs unique, because an execution with an earlier ID would resume that execution's requests. */
let executionCount = 0;

/** Runs a workflow from its first node, as if the workflow were active. */
async function runWorkflow({ nodes, connections, ...run }: WorkflowRun): Promise<IRun> {
	const { items, fileBytes, credential } = run;
	return await execute({
		workflowId: 'bench',
		executionId: `bench ${++executionCount}`,
		nodes,
		connections,
		settings: { executionOrder: 'v1' },
		nodeTypes,
		credentials: new CredentialStore(builtCredentials(), { segmindApi: credential }),
		mode: 'trigger',
		input:
			fileBytes === undefined
				? items
				: [{ json: {}, binary: { data: await storeVideo(fileBytes) } }],
	});
}

/** Stores a video of this many zero bytes in n8n's storage. */
async function storeVideo(bytes: number) {
	const binary = { data: '', fileName: 'file.mp4', mimeType: 'video/mp4' };
	return await storeBinary(zeroBytes(bytes), binary);
}

async function measure(run: WorkflowRun): Promise<RunReport> {
	// Without a garbage collection before the work, memory that is freed during the work would hide what it uses.
	global.gc?.();
	const { rss: before } = process.memoryUsage();
	let highest = before;
	const sampling = setInterval(() => {
		highest = Math.max(highest, process.memoryUsage().rss);
	}, SAMPLE_MS);
	const startedAt = performance.now();
	const { data } = await runWorkflow(run).finally(() => clearInterval(sampling));
	const tookMs = performance.now() - startedAt;
	const outputs = data.resultData.runData[run.nodes[run.nodes.length - 1].name] ?? [];
	return {
		tookMs,
		rssGrowth: highest - before,
		items: outputs.flatMap((task) => task.data?.main[0] ?? []).length,
		storedBytes: JSON.stringify(data).length,
		error: data.resultData.error?.message,
	};
}

const send = (message: EngineMessage) => process.send?.(message);

process.on('message', (run: WorkflowRun) => {
	void measure(run).then(
		(report) => send({ report }),
		({ stack, message }: Error) => send({ problem: stack ?? message }),
	);
});
process.once('disconnect', () => process.exit());

void storeBinariesOnDisk().then(() => {
	const { version } = createRequire(__filename)('n8n/package.json') as { version: string };
	send({ versions: { n8n: version, node: process.version } });
});
