const { join } = require('node:path');

const typescript = require('tsx/cjs/api');

const { testTimeout, ...shared } = require('../../jest.config.js');

const ROOT = join(__dirname, '../..');

/** The engine tests once more, in the engines of older n8n, which dev/n8n installs. */
module.exports = async () => {
	const { olderEngines } = typescript.require('../../dev/n8n/olderEngines.ts', __filename);
	const engines = await olderEngines((line) => void process.stderr.write(`${line}\n`));
	return {
		rootDir: ROOT,
		testTimeout,
		// The engine of 2.0 keeps a timer for SSH connections until n8n is shut down, which no test does.
		forceExit: true,
		projects: engines.map(({ version, folder }) => ({
			...shared,
			displayName: `n8n ${version}`,
			rootDir: ROOT,
			testMatch: ['<rootDir>/test/engine/**/*.test.ts'],
			resolver: '<rootDir>/test/older/resolver.js',
			modulePaths: [folder],
		})),
	};
};
