/** n8n's lint reads only literals, so it misses the parameters that our helpers make. Here its rules read the built descriptions. */
import { config } from '@n8n/node-cli/eslint';
import { Linter } from 'eslint';
import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { ROOT } from '../../dev/base/project';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { ACTION_NODES, CREDENTIAL_TYPES } from '../helpers/packageNodes';

/** The rules about parameters. */
const RULES = /^n8n-nodes-base\/(node-param-.*)/;
/** Findings that are wrong, by rule and line. */
const EXCEPTIONS: Array<[rule: string, line: RegExp]> = [
	// The rule takes a hyphen for the end of a word.
	['node-param-operation-option-action-miscased', /fine-tune|sign-in/],
	// A row is read from left to right: name, type, value.
	['node-param-fixed-collection-type-unsorted-items', /^values: \[/],
];
/** Words that stay small in Title Case. */
const SMALL = /^(a|an|and|as|at|by|for|from|if|in|into|of|on|or|per|the|to|with|without)$/;

const linter = new Linter({ cwd: ROOT });

/** Returns the findings of n8n's lint in a node with these parameters, each as the rule and the line. */
function findingsIn(properties: readonly INodeProperties[]): string[] {
	const literal = JSON.stringify({ properties }, null, '\t').replace(/^(\t*)"(\w+)":/gm, '$1$2:');
	const text = `export class X implements INodeType {\n\tdescription: INodeTypeDescription = ${literal};\n}`;
	const lines = text.split('\n');
	const findings = linter.verify(text, config as Linter.Config[], 'nodes/X/X.node.ts');
	return findings.flatMap(({ ruleId, line, fatal, message }) => {
		if (fatal) return [message];
		const [, rule] = RULES.exec(ruleId ?? '') ?? [];
		const found = lines[line - 1].trim();
		const isWrong = EXCEPTIONS.some(([other, about]) => other === rule && about.test(found));
		return rule === undefined || isWrong ? [] : [`${rule}: ${found}`];
	});
}

/** Returns the texts that break n8n's guidelines in a way that its lint doesn't check: names in Title Case, placeholders that are examples, and a tooltip of Trigger On. */
function wrongTexts(properties: readonly INodeProperties[]): string[] {
	return properties.flatMap(
		({ displayName, type, placeholder = '', description = '', options = [], modes = [] }) => {
			const names = options.flatMap((option) => ('value' in option ? [option.name] : []));
			const additions = /collection$/i.test(type) ? [placeholder] : [];
			const inner = options.flatMap((option) =>
				'values' in option ? option.values : 'type' in option ? [option] : [],
			);
			const examples = [
				...(type === 'string' || type === 'json' ? [placeholder] : []),
				...modes.flatMap((mode) => (mode.type === 'string' ? [mode.placeholder ?? ''] : [])),
			];
			return [
				...(type === 'notice' ? [] : [displayName, ...names, ...additions]).filter(
					(label) => !isTitle(label),
				),
				// The lint asks for this address.
				...examples.filter((text) => !/^($|e\.g\. |name@email\.com$)/.test(text)),
				...(displayName === 'Trigger On' && description !== '' ? [description] : []),
				...wrongTexts(inner),
			];
		},
	);
}

function isTitle(label: string): boolean {
	const words = label.split(/[\s(/]+/);
	return words.every((word, at) => /^\W*[\dA-Z]/.test(word) || (at > 0 && SMALL.test(word)));
}

const nodes = Object.values({ ...ACTION_NODES, SegmindTrigger, SegmindFineTuneTrigger });

test.each([
	...nodes.map((Node) => [Node.name, new Node().description.properties] as const),
	...CREDENTIAL_TYPES.map((type) => [type.name, type.properties] as const),
])('the parameters of %s', (_name, properties) => {
	expect([...findingsIn(properties), ...wrongTexts(properties)]).toEqual([]);
});

test('finds wrong texts', () => {
	const property = (displayName: string, type: string, description: string, more: object = {}) =>
		({ displayName, name: 'x', type, default: '', description, ...more }) as INodeProperties;
	const properties = [
		property('Api key', 'string', 'The key.', { placeholder: 'SG_0' }),
		property('Is It', 'boolean', 'If it is'),
		property('Trigger On', 'collection', 'An event', { placeholder: 'Add event' }),
		property('One Of', 'options', 'The letter', {
			options: ['b', 'a', 'd', 'c', 'e'].map((value) => ({ name: `is ${value}`, value })),
		}),
	];
	expect(findingsIn(properties).map((finding) => finding.split(':')[0])).toEqual(
		expect.arrayContaining([
			'node-param-display-name-miscased',
			'node-param-description-excess-final-period',
			'node-param-description-boolean-without-whether',
			'node-param-options-type-unsorted-items',
		]),
	);
	expect(wrongTexts(properties)).toEqual(
		expect.arrayContaining(['Api key', 'SG_0', 'is b', 'Add event', 'An event']),
	);
});

function withMembers(parameter: INodeProperties): INodeProperties[] {
	const { type, options = [] } = parameter;
	if (type === 'collection')
		return [parameter, ...(options as INodeProperties[]).flatMap(withMembers)];
	if (type !== 'fixedCollection') return [parameter];
	return [parameter, ...(options as INodePropertyCollection[]).flatMap(({ values }) => values)];
}

test('a parameter has the same display name in every node', () => {
	const parameters = nodes
		.flatMap((Node) => new Node().description.properties.flatMap(withMembers))
		.filter(({ type }) => type !== 'notice');
	const displayNames = new Map<string, Set<string>>();
	for (const { name, displayName } of parameters)
		displayNames.set(name, (displayNames.get(name) ?? new Set()).add(displayName));
	const ambiguous = [...displayNames].filter(([, names]) => names.size > 1);
	// In some of the service's calls, `name` is the name of a file. The prompt of Generate Speech is what to say.
	expect(Object.fromEntries(ambiguous)).toEqual({
		name: new Set(['Name', 'File Name']),
		prompt: new Set(['Prompt', 'Text']),
	});
});
