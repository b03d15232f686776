/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/**
 * Rules that n8n's lint has in its source but in no release (newest: 0.32.0), checked on the built package, because n8n's scan will apply them to what is
 * published. Delete a rule here when a release has it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';

import { instanceOf } from '../../dev/base/builtNodes';
import { BUILT, ROOT } from '../../dev/base/project';

const CATEGORIES =
	/^(Data & Storage|Finance & Accounting|Marketing & Content|Productivity|Miscellaneous|Sales|Development|Analytics|Communication|Utility|AI)$/;
const AI_SUBCATEGORIES =
	/^(Agents|Chains|Language Models|Memory|Output Parsers|Tools|Vector Stores|Retrievers|Embeddings|Document Loaders|Text Splitters|Other Tools|Root Nodes|Model Context Protocol|Human in the Loop|Miscellaneous|Rerankers|Evaluation)$/;

/** What the rules read of a node with its codex file, of a credential, and of any object inside them. */
interface Part {
	hint?: string;
	options?: Array<{ name: string; value?: unknown }>;
	credentials?: unknown[];
	categories?: string[];
	subcategories?: { AI?: string[] };
}

/** Each rule returns whether a part is right. */
const RULES: Record<string, (part: Part) => boolean> = {
	'hint-max-length': ({ hint = '' }) => hint.length <= 120,
	'no-asterisk-in-option-names': ({ options = [] }) =>
		options.every(({ name }) => !name.includes('*')),
	'no-duplicate-param-options': ({ options = [] }) =>
		areUnique(options.map(({ name }) => name)) &&
		areUnique(options.flatMap(({ value }) => (value === undefined ? [] : [value]))),
	// The rule allows more of them if only one can be chosen; no node of ours needs that.
	'single-credential-per-node': ({ credentials = [] }) => credentials.length <= 1,
	'valid-node-categories': ({ categories, subcategories: { AI = [] } = {} }) =>
		categories === undefined ||
		(categories.length > 0 &&
			categories.every((category) => CATEGORIES.test(category)) &&
			AI.every((subcategory) => AI_SUBCATEGORIES.test(subcategory)) &&
			categories.includes('AI') === AI.length > 0),
};

const areUnique = (values: unknown[]) => new Set(values).size === values.length;

/** Returns the rules that a part or an object inside it breaks. */
function brokenRules(part: object): string[] {
	const own = Array.isArray(part) ? [] : Object.keys(RULES).filter((rule) => !RULES[rule](part));
	const inner = Object.values(part).filter((value) => typeof value === 'object' && value !== null);
	return [...own, ...inner.flatMap((value) => brokenRules(value as object))];
}

test.each(BUILT.nodes)('%s keeps the rules', (path) => {
	const { description } = instanceOf<INodeType>(join(ROOT, path));
	const codexFile = join(ROOT, path.replace(/\.js$/, '.json'));
	const codex = JSON.parse(readFileSync(codexFile, 'utf8')) as object;
	expect(brokenRules({ ...description, ...codex })).toEqual([]);
});

test.each(BUILT.credentials)('%s keeps the rules', (path) => {
	expect(brokenRules(instanceOf<ICredentialType>(join(ROOT, path)).properties)).toEqual([]);
});

test.each<[string, Part]>([
	['hint-max-length', { hint: 'x'.repeat(121) }],
	['no-asterisk-in-option-names', { options: [{ name: '* All' }] }],
	['no-duplicate-param-options', { options: [{ name: 'A' }, { name: 'A' }] }],
	['single-credential-per-node', { credentials: [{}, {}] }],
	['valid-node-categories', { categories: ['Marketing'] }],
	['valid-node-categories', { categories: ['AI'] }],
])('finds a part that breaks %s', (rule, part) => {
	expect(brokenRules({ properties: [part] })).toEqual([rule]);
});
