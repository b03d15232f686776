/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Where the tests run: in the worker's own context instead of one for each file. So packages are loaded once a worker (nativePackages.cjs), and
 * what they make and test files make is of one kind (`instanceof`). Our modules are still loaded anew for each file: jest keeps their registry.
 */
import { join } from 'node:path';
import vm from 'node:vm';

import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

// n8n-core writes its config there: two workers may not at once.
process.env.N8N_USER_FOLDER = join(process.env.N8N_USER_FOLDER!, process.env.JEST_WORKER_ID!);

/** Stands for this context where jest wants one made by node:vm. */
const HERE: vm.Context = {};
const { compileFunction } = vm;
vm.compileFunction = (code, names, { parsingContext, ...others } = {}) =>
	compileFunction(code, names, parsingContext === HERE ? others : { ...others, parsingContext });

export default class Environment implements JestEnvironment {
	readonly global = globalThis as unknown as JestEnvironment['global'];

	readonly moduleMocker = new ModuleMocker(globalThis);

	readonly fakeTimers = null;

	readonly fakeTimersModern: ModernFakeTimers;

	/** What jest puts others in the place of, and what it may add to. */
	private readonly before = { console, exit: process.exit, symbols: symbols() };

	constructor({ projectConfig: config }: JestEnvironmentConfig) {
		this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
	}

	getVmContext = () => HERE;

	exportConditions = () => ['node', 'node-addons'];

	async setup() {}

	async teardown() {
		this.fakeTimersModern.dispose();
		globalThis.console = this.before.console;
		process.exit = this.before.exit;
		// They hold the tests of the file, and with them all that it loaded.
		for (const symbol of symbols())
			if (isJests(symbol) && !this.before.symbols.includes(symbol))
				Reflect.deleteProperty(globalThis, symbol);
	}
}

const symbols = () => Object.getOwnPropertySymbols(globalThis);

/** Packages register what they share between copies of themselves. */
function isJests(symbol: symbol): boolean {
	return Symbol.keyFor(symbol)?.startsWith('$$jest') ?? true;
}
