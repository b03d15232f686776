/** The measures of plain lines, for the published code. They are apart from eslint.config.mjs, which n8n's strict mode wants unchanged. */
import { parser } from 'typescript-eslint';

const RULES = {
	complexity: ['error', 15],
	'max-depth': ['error', 3],
	'max-params': ['error', 4],
	'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
	'max-lines': ['error', { max: 320, skipComments: true, skipBlankLines: true }],
	'no-nested-ternary': 'error',
	'no-return-assign': ['error', 'always'],
	'no-sequences': 'error',
	'no-void': ['error', { allowAsStatement: true }],
	'no-restricted-syntax': [
		'error',
		{
			selector: ':not(ExpressionStatement, ForStatement) > AssignmentExpression',
			message: 'Assign in a statement of its own.',
		},
		{
			selector: ':not(ExpressionStatement, ForStatement) > UpdateExpression',
			message: 'Count in a statement of its own.',
		},
		...[
			"VariableDeclarator[id.type='ArrayPattern'][init.type='ArrayExpression']:not([init.elements.0.type='SpreadElement'])",
			"AssignmentExpression[left.type='ArrayPattern']",
			"AssignmentExpression[left.type='ObjectPattern']",
		].map((selector) => ({ selector, message: 'Give each value a statement of its own.' })),
		{
			selector: 'SpreadElement > ObjectExpression',
			message: 'List the members themselves.',
		},
		{
			selector: "CallExpression[callee.name='whole'] > TemplateLiteral",
			message: 'Make a text with values by `say`, which quotes them.',
		},
	],
};

/** At most six files have an exception, each with its reason. */
const EXCEPTIONS = [
	{
		// A parameter of a node is name, label, text, choices and default, in this order at thirty places; an object would triple them.
		files: ['nodes/shared/descriptions/fields.ts'],
		rules: { 'max-params': ['error', 6] },
	},
];

export default [
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		languageOptions: { parser },
		linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
		rules: RULES,
	},
	...EXCEPTIONS,
];
