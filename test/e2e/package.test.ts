/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROOT } from '../../dev/base/project';
import { pack } from '../../dev/base/run';
import { startEmulator } from '../../dev/emulator';
import { cleanUp, type Cleanups } from '../../dev/n8n/cleanups';
import { ensureN8n } from '../../dev/n8n/installation';
import { N8nApi } from '../../dev/n8n/n8nApi';
import { NO_EDITOR, startN8n } from '../../dev/n8n/n8nProcess';
import { npm } from '../../dev/n8n/npm';
import { createCredentials } from '../../dev/n8n/sampleAccount';
import {
	chain,
	expectSuccess,
	inferenceNode,
	itemsOf,
	node,
	promptNodes,
} from '../helpers/n8nWorkflows';

const cleanups: Cleanups = [];
afterAll(async () => await cleanUp(cleanups), 60_000);

test("the packed package, installed by README's own npm command into an empty folder, makes a picture in n8n", async () => {
	const userFolder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
	cleanups.push(async () => await rm(userFolder, { recursive: true, force: true }));
	const { filename } = await pack(`--pack-destination=${userFolder}`);
	const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
	const [, command, folder] = /`npm (install [^`]*)` in `~\/([^`]+)`/.exec(readme) as string[];
	const nodes = join(userFolder, folder);
	await mkdir(nodes, { recursive: true });
	const args = command.replace('<path>', userFolder).split(' ');
	expect(args.at(-1)).toBe(join(userFolder, filename));
	await npm(args, nodes, { say: () => {}, env: { npm_config_prefer_offline: 'true' } });

	const emulator = await startEmulator({ queueMs: 10, jobMs: 100 });
	cleanups.push(async () => await emulator.close());
	// In n8n 2, this setting stops only installing unverified packages in the editor.
	const env = { ...NO_EDITOR, N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' };
	const installation = await ensureN8n(() => {});
	const n8n = await startN8n({ installation, userFolder, port: 0, env });
	cleanups.push(async () => await n8n.kill());
	const api = new N8nApi(n8n.url);
	await api.setUpOwner();
	const workflow = chain('picture', [node('manualTrigger'), ...promptNodes(1), inferenceNode()]);
	const created = await api.createWorkflow(workflow, await createCredentials(api, emulator));
	const execution = await expectSuccess(api, await api.run(created));
	const [{ json, binary }] = itemsOf(execution, 'segmind');
	expect(json.request_id).toBe(emulator.jobs[0].requestId);
	const file = await api.download(`/rest/binary-data?id=${binary?.data.id}&action=download`);
	expect(file.toString('latin1', 1, 4)).toBe('PNG');
	expect(emulator.leaks).toEqual([]);
	expect(n8n.output()).not.toContain('left loopback');
});
