const shared = require('../../jest.config.js');

/** Against a real n8n, which dev/n8n installs; one file after the other, since each starts its own. */
module.exports = {
	...shared,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	setupFiles: [],
	maxWorkers: 1,
	// An n8n that did not start must not keep the rest waiting.
	forceExit: true,
	testTimeout: 120_000,
};
