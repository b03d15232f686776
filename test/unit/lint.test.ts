/** n8n's lint reads only literals, so it misses the parameters that our helpers make. Here its rules read the built descriptions. */
import { config } from '@n8n/node-cli/eslint';
import { Linter } from 'eslint';
import type { INodeProperties } from 'n8n-workflow';

import { ROOT } from '../../dev/base/project';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { ACTION_NODES, CREDENTIAL_TYPES } from '../helpers/packageNodes';

/** The rules about parameters. */
const RULES = /^n8n-nodes-base\/(node-param-.*)/;
/** Findings that are wrong, by rule and line. */
const EXCEPTIONS: Array<[rule: string, line: RegExp]> = [
	// The rule takes a hyphen for the end of a word.
	['node-param-operation-option-action-miscased', /fine-tune/],
	// A row is read from left to right: name, type, value.
	['node-param-fixed-collection-type-unsorted-items', /^values: \[/],
];

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

const nodes = Object.values({ ...ACTION_NODES, SegmindTrigger, SegmindFineTuneTrigger });

test.each([
	...nodes.map((Node) => [Node.name, new Node().description.properties] as const),
	...CREDENTIAL_TYPES.map((type) => [type.name, type.properties] as const),
])('the parameters of %s', (_name, properties) => {
	expect(findingsIn(properties)).toEqual([]);
});

test('finds wrong texts', () => {
	const property = (displayName: string, type: string, description: string, more: object = {}) =>
		({ displayName, name: 'x', type, default: '', description, ...more }) as INodeProperties;
	const properties = [
		property('Api key', 'string', 'The key.'),
		property('Is It', 'boolean', 'If it is'),
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
});
