/** Which folder may import from which (CONTRIBUTING.md, "Where things are"), for `npm run structure`. Types count as imports too. */

/** Folders below nodes/shared, and those of nodes/shared/request (`.` has its own files). Each may import from the folders before it. */
const SHARED =
	'base errors service catalogue parameters descriptions journal run media inputs output request manage items';
const REQUEST = 'poll . operations';

/** Folders of dev, and the others from which each may import. */
const DEV = {
	base: [],
	catalogue: ['base'],
	emulator: ['base', 'catalogue'],
	engine: ['base'],
	n8n: ['base', 'emulator'],
	demo: ['base', 'emulator', 'engine'],
	live: ['base', 'catalogue', 'demo', 'engine'],
	test: ['base', 'n8n'],
	bench: ['base', 'emulator', 'engine', 'n8n'],
};

const forbid = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to });

/** Returns the rules by which each folder below `base` imports none that comes later in this order. */
function oneWay(base, order) {
	const folders = order.split(' ').map((name) => (name === '.' ? '[^/]+$' : `${name}/`));
	return folders.map((folder, at) =>
		forbid(`${base} goes one way`, `^${base}/${folder}`, {
			path: `^${base}/`,
			pathNot: `^${base}/(${folders.slice(0, at + 1).join('|')})`,
		}),
	);
}

export default {
	forbidden: [
		forbid('no cycles', '', { circular: true }),
		{
			name: 'no orphans',
			severity: 'error',
			from: { orphan: true, pathNot: '^(test/.*[.]test[.]ts|dev/test/.*)$' },
			to: {},
		},
		...oneWay('nodes/shared', SHARED),
		...oneWay('nodes/shared/request', REQUEST),
		forbid('nodes and shared parts import no other node', '^nodes/([^/]+)/', {
			path: '^nodes/(?!shared/)',
			pathNot: '^nodes/$1/',
		}),
		// n8n accepts nothing else in a package (docs/n8n.md N240).
		forbid('shipped code imports n8n-workflow, zod, node:crypto', '^(nodes|credentials)/', {
			pathNot:
				'^(nodes|credentials)/|^package\\.json$|^node_modules/(n8n-workflow|zod)/|^(node:)?crypto$',
		}),
		...Object.entries(DEV).map(([folder, others]) =>
			forbid(`dev/${folder} imports only from ${others}`, `^dev/${folder}/`, {
				path: '^(dev|test)/',
				pathNot: `^dev/(${[folder, ...others].join('|')})/`,
			}),
		),
		forbid('suites share only test/helpers', '^test/([^/]+)/', {
			path: '^test/',
			pathNot: '^test/($1|helpers)/',
		}),
	],
	options: { tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' } },
};
