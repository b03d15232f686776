/** What the suites of jest.config.js need beyond this repository's sources, and how many of their files run at once. */
export type Need = 'dist' | 'older engines' | 'n8n' | 'queue services' | 'chromium';

interface Suite {
	needs: Need[];
	/** Each file of these suites starts its own n8n; files that mostly wait run two at a time. Without a limit, each processor runs one. */
	maxWorkers?: number;
}

export const SUITES: Record<string, Suite> = {
	unit: { needs: [] },
	engine: { needs: [] },
	emulator: { needs: [] },
	package: { needs: ['dist'] },
	demo: { needs: ['dist'] },
	faults: { needs: [] },
	older: { needs: ['older engines'] },
	e2e: { needs: ['dist', 'n8n'], maxWorkers: 2 },
	queue: { needs: ['dist', 'n8n', 'queue services'], maxWorkers: 2 },
	browser: { needs: ['dist', 'n8n', 'chromium'], maxWorkers: 1 },
};

/** The suites of `npm test`. */
const DEFAULT = ['unit', 'engine', 'emulator', 'package'];

/** Returns the folders with the files of suites. The older engines run the engine tests. */
export function foldersOf(suites: string[]): string[] {
	return suites.map((suite) => `test/${suite === 'older' ? 'engine' : suite}`);
}

/**
 * Splits the arguments of a test command into suites and what goes to Jest: `engine -t name`, or the path of a file or a folder, which selects its
 * suite.
 */
export function splitArgs(args: string[]): { suites: string[]; rest: string[] } {
	const at = args.findIndex((word) => !(word in SUITES));
	const end = at === -1 ? args.length : at;
	const rest = args.slice(end);
	if (end > 0) return { suites: args.slice(0, end), rest };
	const named = rest.map(suiteOfPath).filter((suite) => suite !== undefined);
	return { suites: named.length > 0 ? [...new Set(named)] : DEFAULT, rest };
}

/** Returns the suite that a path such as `test/engine/results` belongs to. */
function suiteOfPath(word: string): string | undefined {
	const [, folder] = /(?:^|[\\/])test[\\/](\w+)(?:[\\/]|$)/.exec(word) ?? [];
	return folder in SUITES ? folder : undefined;
}
