/**
 * Configures the suites. The environment variable TEST_SUITES names the suites to run, with spaces between them. dev/test/cli.ts (npm run test:…)
 * sets it, and prepares what the suites need.
 */
const { availableParallelism } = require('node:os');

const typescript = require('tsx/cjs/api');

const { SUITES, foldersOf, splitArgs } = typescript.require('./dev/test/suites.ts', __filename);

const chosen = process.env.TEST_SUITES?.split(' ') ?? splitArgs(process.argv.slice(2)).suites;

const STAYS_ON_LOOPBACK = '<rootDir>/dev/test/staysOnLoopback.ts';

const shared = {
	rootDir: __dirname,
	// Otherwise, Jest would search node_modules too.
	roots: ['nodes', 'credentials', 'dev', 'test'].map((folder) => `<rootDir>/${folder}`),
	testEnvironment: '<rootDir>/dev/test/environment.ts',
	// Tests use hostile addresses but can't reach them: no call leaves this computer.
	setupFiles: ['<rootDir>/dev/n8n/loopbackOnly.cjs'],
	setupFilesAfterEnv: [STAYS_ON_LOOPBACK],
	transformIgnorePatterns: [],
	transform: {
		'/node_modules/(n8n-core|n8n-workflow|@n8n|zod|express|undici|axios|fast-check|typescript|eslint|marked|marked-gfm-heading-id)/.+js$':
			'<rootDir>/dev/test/nativePackages.cjs',
		// Compiles a file in a millisecond, without checking types. tsc and the build check them; here it would only slow down each run.
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
		],
	},
};

/** Returns a project with the tests of these suites. */
function suites(names) {
	return {
		...shared,
		testMatch: foldersOf(names).map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
	};
}

/** Returns a project with the engine tests for each older n8n engine. */
async function older() {
	const { ensureOlderEngines } = typescript.require('./dev/n8n/olderEngines.ts', __filename);
	const engines = await ensureOlderEngines((line) => void process.stderr.write(`${line}\n`));
	return engines.map(({ version, folder }) => ({
		...suites(['older']),
		displayName: `n8n ${version}`,
		resolver: '<rootDir>/dev/test/olderResolver.js',
		modulePaths: [folder],
		// Only older engines keep something open after the tests.
		setupFilesAfterEnv: [STAYS_ON_LOOPBACK, '<rootDir>/test/helpers/endEngine.ts'],
	}));
}

/** Returns one project for all suites that don't need an older engine, because each project would read the folders and compile the sources again. */
async function projects() {
	const names = chosen.filter((name) => name !== 'older');
	return [
		...(names.length > 0 ? [suites(names)] : []),
		...(names.length < chosen.length ? await older() : []),
	];
}

// Sets n8n-core's folder for all workers, because they inherit the environment of this process.
typescript.require('./dev/engine/environment.ts', __filename);

module.exports = async () => ({
	projects: await projects(),
	// The timeout only prevents tests from hanging forever. It's long because tests on a busy computer can take many times as long.
	testTimeout: chosen.includes('faults') ? 3_600_000 : 300_000,
	// By default, Jest keeps one processor for its main process, which does next to nothing.
	maxWorkers: Math.min(
		...chosen.map((suite) => SUITES[suite].maxWorkers ?? availableParallelism()),
	),
});
