/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/**
 * Tests that what the last release promised still holds, unless CHANGELOG.md announces a change above that release (see announcement.ts).
 * `CONTRACT=release` writes the current contract to released.json, for the version in package.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import type { INodePropertyOptions, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { builtCredentials, builtNodes, instanceOf } from '../../dev/base/builtNodes';
import { BUILT, ROOT } from '../../dev/base/project';
import { useEmulator } from '../helpers/emulator';
import { filesBelow } from '../helpers/filesBelow';
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

test.each(BUILT.nodes.filter((file) => !file.includes('Trigger')))(
	'what the editor offers before a run of %s has the name and the kind that a run returns',
	async (file) => {
		const { description } = instanceOf<INodeType>(join(ROOT, file));
		const folder = `${posix.dirname(file)}/__schema__/v1.0.0`;
		const operations = operationsOf(description);
		const written = filesBelow(folder);
		expect(written.sort()).toEqual(operations.map((path) => `${folder}/${path}.json`).sort());
		const recorded = await outputsOf();
		const offered = operations.flatMap((path) => {
			const source = `node ${description.name} ${path.replace('/', ' ')} output`;
			const { properties } = readJson<OutputSchema>(join(ROOT, folder, `${path}.json`));
			return Object.entries(properties).map(([name, { type }]) => [`${source} ${name}`, type]);
		});
		expect(offered).not.toEqual([]);
		const wrong = offered.filter(([output, type]) => !isOfType(recorded[output], type, output));
		expect(wrong).toEqual([]);
	},
);

interface OutputSchema {
	properties: Record<string, { type: string }>;
}

/** Returns the operations of a node; those of a resource as `image/edit`. */
function operationsOf({ properties }: INodeTypeDescription): string[] {
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) => {
			const [resource] = displayOptions?.show?.resource ?? [];
			const values = (options as INodePropertyOptions[]).map(({ value }) => String(value));
			return resource === undefined
				? values
				: values.map((value) => `${String(resource)}/${value}`);
		});
}

/** Whether a recorded output has a JSON type. Null tells nothing, and Any Model returns a file or text, depending on the model. */
function isOfType(recorded: string | undefined, type: string, output: string): boolean {
	if (output.endsWith(' text') && recorded === undefined)
		return /model run|request getResult/.test(output);
	return recorded === 'null' || recorded === (type === 'array' ? 'list' : type);
}

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
