/** The editor of that n8n in a browser. */
module.exports = {
	...require('../e2e/jest.config.js'),
	testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
};
