// The same choices as n8n's own code, so that a patch reads alike in both.
module.exports = {
	printWidth: 100,
	useTabs: true,
	tabWidth: 2,
	semi: true,
	singleQuote: true,
	quoteProps: 'as-needed',
	trailingComma: 'all',
	bracketSpacing: true,
	arrowParens: 'always',
	endOfLine: 'lf',
};
