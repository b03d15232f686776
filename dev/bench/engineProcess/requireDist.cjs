// Prints how many ms it takes to require all nodes and credentials of package.json. Each measurement runs in a new process.
const { join } = require('node:path');

const root = join(__dirname, '../../..');
const { nodes, credentials } = require(join(root, 'package.json')).n8n;
require('n8n-workflow');
require('zod');
const startedAt = performance.now();
for (const file of [...nodes, ...credentials]) require(join(root, file));
process.stdout.write(String(performance.now() - startedAt));
