/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Runs the tests in the worker's own context instead of a new context for each file. So packages are loaded once per worker (nativePackages.cjs),
 * and `instanceof` works between packages and test files. Our modules are still loaded again for each file, because jest keeps their registry.
 * jest-environment-node passes the same tests without the two replacements below, but loads n8n-core and n8n-workflow for each file: eight files of
 * engine tests take 20 s of processor time instead of 10 (measured in November 2026). For all of `npm test`, 220 to 235 s are an estimate: only half of it
 * was measured.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';

import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

// n8n-core writes its config there, and two workers must not do so at the same time.
process.env.N8N_USER_FOLDER = join(process.env.N8N_USER_FOLDER!, process.env.JEST_WORKER_ID!);

Object.assign(globalThis, { [Symbol.for('segmind.createRequire')]: createRequire });

/** Represents the worker's own context where jest expects a context of node:vm. */
const OWN_CONTEXT: vm.Context = {};
const { compileFunction } = vm;
vm.compileFunction = (code, names, { parsingContext, ...others } = {}) =>
	compileFunction(
		code,
		names,
		parsingContext === OWN_CONTEXT ? others : { ...others, parsingContext },
	);

/** The AsyncLocalStorage objects that a file used, including jest's own. In Node 20 each makes every promise slower until it's disabled. */
const stores = new Set<AsyncLocalStorage<unknown>>();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
	stores.add(this);
	return (run as (...all: unknown[]) => unknown).apply(this, args);
} as typeof run;

export default class Environment implements JestEnvironment {
	readonly global = globalThis as unknown as JestEnvironment['global'];

	readonly moduleMocker = new ModuleMocker(globalThis);

	readonly fakeTimers = null;

	readonly fakeTimersModern: ModernFakeTimers;

	private readonly original = jestChanges();

	private readonly symbols = symbols();

	constructor({ projectConfig: config }: JestEnvironmentConfig) {
		this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
	}

	getVmContext = () => OWN_CONTEXT;

	exportConditions = () => ['node', 'node-addons'];

	async setup() {}

	async teardown() {
		for (const store of stores) store.disable();
		stores.clear();
		this.fakeTimersModern.dispose();
		const { console, ...ofProcess } = this.original;
		globalThis.console = console;
		Object.assign(process, ofProcess);
		// These symbols refer to the tests of the file, and so keep everything in memory that the file loaded.
		for (const symbol of symbols())
			if (isFromJest(symbol) && !this.symbols.includes(symbol))
				Reflect.deleteProperty(globalThis, symbol);
	}
}

/** The globals that jest replaces for each file. */
function jestChanges() {
	const { exit, getBuiltinModule } = process as NodeJS.Process & { getBuiltinModule?: unknown };
	return { console, exit, getBuiltinModule };
}

function symbols(): symbol[] {
	return Object.getOwnPropertySymbols(globalThis);
}

/** Whether jest made a symbol. Packages make symbols for what their copies share, but with other kinds of names. */
function isFromJest(symbol: symbol): boolean {
	return /^(\$\$jest-.*|[A-Z_]*)$/.test(Symbol.keyFor(symbol) ?? '');
}
