const shared = require('../../jest.config.js');

module.exports = {
	...shared,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	// Hostile addresses are tried, not reached.
	setupFiles: [...shared.setupFiles, '<rootDir>/dev/n8n/loopbackOnly.cjs'],
};
