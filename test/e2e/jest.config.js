const shared = require('../../jest.config.js');

/** Against a real n8n, which host/ installs; one file after the other, since each starts its own. */
module.exports = {
	...shared,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	globalSetup: '<rootDir>/test/e2e/prepare.js',
	setupFiles: [],
	maxWorkers: 1,
	testTimeout: 120_000,
};
