/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'segmind-engine-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// n8n-core reads these while it is loaded: import this file before it. It would write its config into the home folder otherwise.
process.env.N8N_USER_FOLDER = folder;
// Tests and the demo read what nodes log, so it isn't printed too.
process.env.N8N_LOG_LEVEL ??= 'silent';
