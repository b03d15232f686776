module.exports = {
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	// Suites of their own: npm run test:e2e, test:browser, test:queue, test:faults.
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|browser|queue|faults)/'],
	// dist holds a second copy of every module; tests run the sources.
	modulePathIgnorePatterns: ['<rootDir>/dist/'],
	setupFiles: ['<rootDir>/test/env.js'],
	testTimeout: 30_000,
	transform: {
		'^.+\\.ts$': [
			'ts-jest',
			{
				tsconfig: {
					module: 'commonjs',
					moduleResolution: 'node',
					target: 'es2022',
					lib: ['es2022'],
					esModuleInterop: true,
					resolveJsonModule: true,
					isolatedModules: true,
				},
				// tsc and the build report types; here they would only slow each run down.
				diagnostics: false,
			},
		],
	},
};
