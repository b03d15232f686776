// Prints how much time requiring all nodes and credentials of package.json takes, over requiring n8n's HTTP Request node. The argument is the start script of
// the installed n8n. Each measurement runs in a new process.
const { createRequire } = require('node:module');
const { join } = require('node:path');

const root = join(__dirname, '../../..');
const { nodes, credentials } = require(join(root, 'package.json')).n8n;
const installed = createRequire(process.argv[2]);

require('n8n-workflow');
require('zod');
installed('n8n-workflow');

/** Returns how long some work takes, in ms. */
function time(work) {
	const startedAt = performance.now();
	work();
	return performance.now() - startedAt;
}

const ours = time(() => [...nodes, ...credentials].forEach((file) => require(join(root, file))));
const theirs = time(() => installed('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js'));
process.stdout.write(String(ours / theirs));
