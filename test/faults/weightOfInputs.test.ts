/** What a field, an item or a result weighs, it costs: eight times as much takes about eight times as long. */
import { mediaParts } from '../../nodes/shared/inputs/mediaParts';
import { mediaIn, mediaInOutputs } from '../../nodes/shared/output/media';
import { namedOutputs } from '../../nodes/shared/output/namedOutputs';
import { safeFileName } from '../../nodes/shared/media/mediaTypes';
import { parseRequest } from '../../nodes/shared/request/result/requestRef';
import { matching } from '../../nodes/shared/service/picker';
import { processorMsOf } from '../helpers/processorTime';

/** Less than this is mostly compiling and clearing up, ms: a ratio of it says nothing. */
const NOISE_MS = 10;
/** Linear would be 8, quadratic 64. */
const MOST_TIMES = 24;

const none = () => undefined;
const refused = (work: () => unknown) => () => {
	try {
		work();
	} catch {
		// The text is refused; what that costs is measured.
	}
};
const files = (text: string, isList: boolean) =>
	refused(() => mediaParts('image', text, isList, none));
const outputs = (value: unknown[]) => {
	const named = namedOutputs(value);
	return mediaInOutputs(named?.values ?? []);
};
const BASE = 'https://api.segmind.com';

/** What is done with a text or list made of `n` pieces. */
const DOORS: Record<string, (n: number) => () => unknown> = {
	'an address with commas in a list of files': (n) => files(`https://x${',a'.repeat(n)}`, true),
	'addresses with commas in a list of files': (n) => files('https://x,a,b, '.repeat(n), true),
	'a data URL of commas': (n) => files(`data:${',a'.repeat(n)}`, true),
	'data URLs without a comma': (n) => files('data:,'.repeat(n), true),
	'names of files': (n) => files('a,'.repeat(n), true),
	'spaces in a file field': (n) => files(`https://x${' '.repeat(n)}a`, false),
	'a JSON list of files': (n) => files(JSON.stringify(Array(n).fill('https://x')), true),
	'brackets in a file field': (n) => files('['.repeat(n), true),
	'outputs of one name': (n) => () => outputs(Array(n).fill({ keyname: 'x', value: 'y' })),
	'outputs of many names': (n) => () =>
		outputs(Array.from({ length: n }, (_, at) => ({ keyname: `${at}`, value: 'y' }))),
	'files of a result': (n) => () =>
		mediaIn({ images: Array.from({ length: n }, (_, at) => `https://x/${at}.png`) }, undefined),
	'one file of a result many times': (n) => () =>
		mediaIn({ images: Array(n).fill('https://x/a.png') }, undefined),
	'a long file name': (n) => () => safeFileName('. '.repeat(n), 'image/png', 'f'),
	'a file name of many directions': (n) => () => safeFileName('\u202e'.repeat(n), 'image/png', 'f'),
	'a long request': (n) => refused(() => parseRequest(`${BASE}/${'requests/'.repeat(n)}`, BASE)),
	'a request of percent signs': (n) =>
		refused(() => parseRequest(`${BASE}/requests/${'%25'.repeat(n)}`, BASE)),
	'a list for a picker': (n) => () =>
		matching(Array(n).fill({ name: '='.repeat(50), value: 'v' }), 'v'),
	'one long name in a picker': (n) => () => matching([{ name: '= '.repeat(n), value: 'v' }]),
	'words to look for in a picker': (n) => () =>
		matching([{ name: 'name', value: 'v' }], 'n '.repeat(n)),
};

test.each(Object.entries(DOORS))('%s', (_name, door) => {
	const few = 12_500;
	door(few)();
	const one = Math.min(...[1, 2, 3].map(() => processorMsOf(door(few))));
	const eight = Math.min(...[1, 2, 3, 4].map(() => processorMsOf(door(8 * few))));
	expect(eight).toBeLessThan(MOST_TIMES * Math.max(one, NOISE_MS));
});
