const shared = require('../../jest.config.js');

module.exports = {
	...shared,
	rootDir: '../..',
	testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
};
