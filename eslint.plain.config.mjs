/** n8n's rules and, for the published code, the measures of plain lines. n8n's strict mode wants eslint.config.mjs unchanged. */
import n8nConfig from './eslint.config.mjs';

const published = {
	files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	// n8n scans the published sources for inline disables (docs/n8n.md N241).
	linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
	rules: {
		complexity: ['error', 15],
		'max-depth': ['error', 3],
		'max-params': ['error', 4],
		'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
	},
};

const oneReader = {
	files: ['nodes/**/*.ts'],
	ignores: [
		'nodes/shared/parameters/itemParameters.ts',
		// Asks for the node's operation, not for an item's parameter.
		'nodes/shared/items/operations.ts',
		// Triggers have no items.
		'nodes/*Trigger/**',
	],
	rules: {
		'no-restricted-properties': [
			'error',
			{
				property: 'getNodeParameter',
				message: 'Only ItemParameters reads the parameters of an item.',
			},
		],
	},
};

const fieldMakers = {
	// A parameter of a node is name, label, text, choices and default, in this order at thirty places; an object would triple them.
	files: ['nodes/shared/descriptions/fields.ts'],
	rules: { 'max-params': ['error', 6] },
};

export default [...n8nConfig, published, oneReader, fieldMakers];
