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
