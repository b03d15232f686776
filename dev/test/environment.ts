/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Runs the tests in the worker's own context instead of a new context for each file, so that packages are loaded once per worker
 * (nativePackages.cjs) and `instanceof` works between packages and test files. Our modules are still loaded again for each file, because jest has a
 * module registry per file. With jest-environment-node, the same tests pass without the two replacements below, but each file loads n8n-core and
 * n8n-workflow: eight files of engine tests take 20 s of processor time instead of 10 (measured in November 2026).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';

import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

// n8n-core writes its config into this folder, and two workers must not do so at the same time.
process.env.N8N_USER_FOLDER = join(process.env.N8N_USER_FOLDER!, process.env.JEST_WORKER_ID!);

Object.assign(globalThis, { [Symbol.for('segmind.createRequire')]: createRequire });

/** Represents the worker's own context where jest expects a context of node:vm. */
const WORKER_CONTEXT: vm.Context = {};
const { compileFunction } = vm;
/** The compiled modules by path: all files run in one context, so a module is compiled once per worker, and V8 keeps what it learned about its code. */
const compiled = new Map<string, { code: string; run: ReturnType<typeof compileFunction> }>();
vm.compileFunction = (code, names, { parsingContext, ...others } = {}) => {
	if (parsingContext !== WORKER_CONTEXT)
		return compileFunction(code, names, { ...others, parsingContext });
	const { filename = '' } = others;
	const known = compiled.get(filename);
	if (known?.code === code) return known.run;
	// Without jest's function for `import()`, which would keep the file's module registry in memory; swc makes each `import()` a `require`.
	const run = compileFunction(code, names, { filename });
	compiled.set(filename, { code, run });
	return run;
};

/** The values of jest's own AsyncLocalStorage, by which it knows the running test. Its tests run one after another, so they can be plain values. */
const values = new WeakMap<AsyncLocalStorage<unknown>, unknown>();
/** The storages of the test files themselves: classes that extend AsyncLocalStorage (test/faults/campaign/callerMark.ts). */
const isOfTests = (storage: AsyncLocalStorage<unknown>) =>
	storage.constructor !== AsyncLocalStorage;
const { getStore, run: runWithStore } = AsyncLocalStorage.prototype;
// In Node 20 and 22, each AsyncLocalStorage in use slows down every promise.
Object.assign(AsyncLocalStorage.prototype, {
	getStore(this: AsyncLocalStorage<unknown>) {
		return isOfTests(this) ? getStore.call(this) : values.get(this);
	},
	run(this: AsyncLocalStorage<unknown>, value: unknown, work: () => unknown) {
		if (isOfTests(this)) return runWithStore.call(this, value, work);
		const before = values.get(this);
		const end = () => void values.set(this, before);
		values.set(this, value);
		const result = work();
		if (result instanceof Promise) result.then(end, end);
		else end();
		return result;
	},
});

export default class Environment implements JestEnvironment {
	readonly global = globalThis as unknown as JestEnvironment['global'];

	readonly moduleMocker = new ModuleMocker(globalThis);

	readonly fakeTimers = null;

	readonly fakeTimersModern: ModernFakeTimers;

	private readonly originals = replacedGlobals();

	private readonly symbols = symbols();

	constructor({ projectConfig: config }: JestEnvironmentConfig) {
		this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
	}

	getVmContext = () => WORKER_CONTEXT;

	exportConditions = () => ['node', 'node-addons'];

	async setup() {}

	async teardown() {
		this.fakeTimersModern.dispose();
		const { console, ...ofProcess } = this.originals;
		globalThis.console = console;
		Object.assign(process, ofProcess);
		// These symbols refer to the tests of the file, and so keep everything that the file loaded in memory.
		for (const symbol of symbols())
			if (isFromJest(symbol) && !this.symbols.includes(symbol))
				Reflect.deleteProperty(globalThis, symbol);
	}
}

/** Returns the current values of the globals that jest replaces for each file. */
function replacedGlobals() {
	const { exit, getBuiltinModule } = process as NodeJS.Process & { getBuiltinModule?: unknown };
	return { console, exit, getBuiltinModule };
}

function symbols(): symbol[] {
	return Object.getOwnPropertySymbols(globalThis);
}

/** Whether jest made a symbol. Packages make symbols too, for data that their copies share, but with other kinds of names. */
function isFromJest(symbol: symbol): boolean {
	return /^(\$\$jest-.*|[A-Z_]*)$/.test(Symbol.keyFor(symbol) ?? '');
}
