/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Where the tests run: in the worker's own context instead of one for each file. So packages are loaded once a worker (nativePackages.cjs), and
 * what they make and what test files make is of one kind (`instanceof`). Our modules are still loaded anew for each file: jest keeps their registry.
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

// n8n-core writes its config there: two workers may not at once.
process.env.N8N_USER_FOLDER = join(process.env.N8N_USER_FOLDER!, process.env.JEST_WORKER_ID!);

Object.assign(globalThis, { [Symbol.for('segmind.createRequire')]: createRequire });

/** Represents this context where jest expects one of node:vm. */
const HERE: vm.Context = {};
const { compileFunction } = vm;
vm.compileFunction = (code, names, { parsingContext, ...others } = {}) =>
	compileFunction(code, names, parsingContext === HERE ? others : { ...others, parsingContext });

/** Stores that a file used, jest's own too: in Node 20 each of them makes every promise slower until it is disabled. */
const stores = new Set<AsyncLocalStorage<unknown>>();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...words: unknown[]) {
	stores.add(this);
	return (run as (...all: unknown[]) => unknown).apply(this, words);
} as typeof run;

export default class Environment implements JestEnvironment {
	readonly global = globalThis as unknown as JestEnvironment['global'];

	readonly moduleMocker = new ModuleMocker(globalThis);

	readonly fakeTimers = null;

	readonly fakeTimersModern: ModernFakeTimers;

	private readonly before = jestChanges();

	private readonly symbols = symbols();

	constructor({ projectConfig: config }: JestEnvironmentConfig) {
		this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
	}

	getVmContext = () => HERE;

	exportConditions = () => ['node', 'node-addons'];

	async setup() {}

	async teardown() {
		for (const store of stores) store.disable();
		stores.clear();
		this.fakeTimersModern.dispose();
		const { console, ...ofProcess } = this.before;
		globalThis.console = console;
		Object.assign(process, ofProcess);
		// They hold the tests of the file, and with them all that it loaded.
		for (const symbol of symbols())
			if (isJests(symbol) && !this.symbols.includes(symbol))
				Reflect.deleteProperty(globalThis, symbol);
	}
}

/** What jest puts its own in the place of, for each file. */
function jestChanges() {
	const { exit, getBuiltinModule } = process as NodeJS.Process & { getBuiltinModule?: unknown };
	return { console, exit, getBuiltinModule };
}

function symbols(): symbol[] {
	return Object.getOwnPropertySymbols(globalThis);
}

/** Others register what copies of a package share, under names of another form than jest's. */
function isJests(symbol: symbol): boolean {
	return /^(\$\$jest-.*|[A-Z_]*)$/.test(Symbol.keyFor(symbol) ?? '');
}
