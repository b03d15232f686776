/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'segmind-engine-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// n8n-core reads these variables while it is loaded, so import this file first. Otherwise n8n-core would write its config into the home folder.
process.env.N8N_USER_FOLDER = folder;
// Tests and the demo read what nodes log, so it needn't be printed.
process.env.N8N_LOG_LEVEL ??= 'silent';
