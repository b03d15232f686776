/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

const FOLDER = Symbol.for('segmind.userFolder');

/** jest gives each test file a `process` of its own, which never hears that it ends; all of one share a folder. */
const realProcess = runInThisContext('process') as NodeJS.Process & { [FOLDER]?: string };

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'segmind-engine-'));
	realProcess.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

// n8n-core reads these while it is loaded: import this file before it. It would write its config into the home folder otherwise.
process.env.N8N_USER_FOLDER = realProcess[FOLDER] ??= newFolder();
// Tests and the demo read what nodes log; nobody wants it on the screen too.
process.env.N8N_LOG_LEVEL ??= 'silent';
