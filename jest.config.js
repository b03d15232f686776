/**
 * The suites. The environment's TEST_SUITES names those to run, with spaces between; dev/test/cli.ts sets it (npm run test:…) and prepares what a
 * suite needs.
 */
const { availableParallelism } = require('node:os');

const typescript = require('tsx/cjs/api');

/** Those without a need for anything but this repository. */
const DEFAULT = ['unit', 'engine', 'emulator', 'demo', 'contract'];
/** Against a real n8n, which dev/n8n installs. Each file starts its own: two at a time where they mostly wait, else one. */
const REAL_N8N = { e2e: 2, queue: 2, browser: 1 };

const chosen = process.env.TEST_SUITES?.split(' ') ?? DEFAULT;

const shared = {
	rootDir: __dirname,
	// Jest would search node_modules too.
	roots: ['nodes', 'credentials', 'dev', 'test'].map((folder) => `<rootDir>/${folder}`),
	testEnvironment: '<rootDir>/dev/test/environment.ts',
	// Hostile addresses are tried, not reached: nothing leaves this computer.
	setupFiles: ['<rootDir>/dev/n8n/loopbackOnly.cjs'],
	transformIgnorePatterns: [],
	transform: {
		'/node_modules/(n8n-core|n8n-workflow|@n8n|zod|express|undici|axios|fast-check|typescript)/.+js$':
			'<rootDir>/dev/test/nativePackages.cjs',
		// Compiles a file in a millisecond. tsc and the build report types; here they would only slow each run down.
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
		],
	},
};

/** The tests in the folders of these names. */
function suites(names) {
	return {
		...shared,
		testMatch: names.map((name) => `<rootDir>/test/${name}/**/*.test.ts`),
		// It only takes the pictures in the documents.
		testPathIgnorePatterns: process.env.PICTURES ? [] : ['/browser/pictures\\.test\\.ts$'],
	};
}

/** The engine tests once more for each engine of an older n8n, which dev/n8n installs. */
async function older() {
	const { ensureOlderEngines } = typescript.require('./dev/n8n/olderEngines.ts', __filename);
	const engines = await ensureOlderEngines((line) => void process.stderr.write(`${line}\n`));
	return engines.map(({ version, folder }) => ({
		...suites(['engine']),
		displayName: `n8n ${version}`,
		resolver: '<rootDir>/dev/test/olderResolver.js',
		modulePaths: [folder],
		// Newer engines keep nothing open.
		setupFilesAfterEnv: ['<rootDir>/test/helpers/endEngine.ts'],
	}));
}

/** One project for all that run in this n8n's engine: each would read the folders and compile the sources for itself. */
async function projects() {
	const names = chosen.filter((name) => name !== 'older');
	return [
		...(names.length > 0 ? [suites(names)] : []),
		...(names.length < chosen.length ? await older() : []),
	];
}

// n8n-core's folder, for all workers: they have the environment of this process.
typescript.require('./dev/engine/environment.ts', __filename);

module.exports = async () => ({
	projects: await projects(),
	// Only so that nothing hangs for ever: beside others, a busy computer may take many times as long.
	testTimeout: chosen.includes('faults') ? 3_600_000 : 300_000,
	// Jest leaves one processor to itself, which does next to nothing.
	maxWorkers: Math.min(...chosen.map((suite) => REAL_N8N[suite] ?? availableParallelism())),
});
