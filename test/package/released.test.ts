/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Tests that what the last release promised still holds, unless CHANGELOG.md announces a change above that release (see announcement.ts).
 * `CONTRACT=release` writes the current contract to released.json, for the version in package.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { builtCredentials, builtNodes } from '../../dev/base/builtNodes';
import { ROOT } from '../../dev/base/project';
import { useEmulator } from '../helpers/emulator';
import { unannounced } from './announcement';
import { describedContract, type Contract } from './extract';
import { outputContract } from './outputs';

const FILE = join(__dirname, 'released.json');
const emulator = useEmulator({ fineTuneOpen: true, fineTuneStepMs: 0 });

/** Runs everything once, for the first test that needs it. */
let outputs: Promise<Contract> | undefined;
const outputsOf = async () => await (outputs ??= outputContract(emulator));

interface Released {
	version: string;
	contract: Contract;
}

const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T;

test('the built package keeps what the last release promised', async () => {
	const described = describedContract(Object.values(builtNodes()), builtCredentials());
	const contract = { ...described, ...(await outputsOf()) };
	if (process.env.CONTRACT === 'release') {
		const { version } = readJson<{ version: string }>(join(ROOT, 'package.json'));
		writeFileSync(FILE, `${JSON.stringify({ version, contract }, null, '\t')}\n`);
	}
	const released = readJson<Released>(FILE);
	const [announced] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(
		`## [${released.version}]`,
	);
	expect(unannounced(released.contract, contract, announced)).toEqual([]);
});

test('CONTRACT.md names every field that we, not the service, add', async () => {
	const written = readFileSync(join(ROOT, 'CONTRACT.md'), 'utf8');
	const fields = Object.keys(await outputsOf())
		.filter((entry) => entry.includes(' output ') && !PASSED_THROUGH.test(entry))
		.map((entry) => entry.split(' output ')[1]);
	expect([...new Set(fields)].filter((field) => !written.includes(`\`${field}\``))).toEqual([]);
});

/** Outputs that pass the service's responses through, as CONTRACT.md says. */
const PASSED_THROUGH =
	/^node (segmindEndpoint|segmindFineTune|segmindAccount apiKey|segmindTrigger fineTuneStatusChanged)\b|getStatus|\(not simplified\)/;

const [OLD, URL_STRING] = [
	{ 'node n parameter old': 'string' },
	{ 'node n run output url': 'string' },
];
const SPEED = { 'node n parameter options.speed': 'number' };
const URL_LIST = { 'node n run output url': 'list' };
const URL_CHANGED = 'changed: node n run output url: string, now list';

test.each<[before: Contract, now: Contract, changelog: string, missing: string[]]>([
	[OLD, OLD, '', []],
	[URL_STRING, { ...URL_STRING, ...SPEED }, 'Adds speed', ['new: node n parameter options.speed']],
	[URL_STRING, { ...URL_STRING, ...SPEED }, '### Added\n\n- `speed`', []],
	[
		{ ...OLD, ...URL_STRING },
		URL_STRING,
		'### Added\n- `old`\n',
		['removed: node n parameter old'],
	],
	[{ ...OLD, ...URL_STRING }, URL_STRING, '### Removed\n- `old` is gone\n', []],
	[URL_STRING, URL_LIST, '', [URL_CHANGED]],
	[URL_STRING, URL_LIST, '### Changed\n\n- `url` is a list\n', []],
	[URL_STRING, URL_LIST, '### Changed\n\n### Fixed\n- `url`\n', [URL_CHANGED]],
])('from %j to %j, the changelog %j lacks %j', (before, now, changelog, missing) => {
	expect(unannounced(before, now, changelog)).toEqual(missing);
});
