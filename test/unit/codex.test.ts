/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Codex {
	node: string;
	categories: string[];
	subcategories?: { AI?: string[] };
}

const NODES = join(__dirname, '..', '..', 'nodes');
const FILES = readdirSync(NODES, { recursive: true, encoding: 'utf8' }).filter((file) =>
	file.endsWith('.node.json'),
);

// As long as a workflow has no agent, n8n's search (seen in the editor of 2.40.7) leaves out nodes of the category AI that are no root nodes.
test.each(FILES)('the node creator finds the node of %s', (file) => {
	const { categories, subcategories } = JSON.parse(
		readFileSync(join(NODES, file), 'utf8'),
	) as Codex;
	expect(!categories.includes('AI') || subcategories?.AI?.includes('Root Nodes')).toBe(true);
});
