/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The built package has the parameters and outputs that CONTRACT.md says. `npm run contract` writes the lists there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import { builtCredentials, builtNodes, instanceOf } from '../../dev/base/builtNodes';
import { BUILT, ROOT } from '../../dev/base/project';
import { useEmulator } from '../helpers/emulator';
import { filesBelow } from '../helpers/filesBelow';
import { contractLists } from './contractLists';
import { operationsOf } from './extract';
import { recordOutputs, type Outputs } from './outputs';

const FILE = join(ROOT, 'CONTRACT.md');
const LISTS = /(?<=<!-- prettier-ignore-start -->\n\n)[^]*(?=\n\n<!-- prettier-ignore-end -->)/;
let aheadMs = 0;
const emulator = useEmulator({
	fineTuneOpen: true,
	fineTuneStepMs: 0,
	clock: () => Date.now() + aheadMs,
});

/** Runs everything once, for the first test that needs it. */
let outputs: Promise<Outputs> | undefined;
const outputsOf = async () =>
	await (outputs ??= recordOutputs(emulator, (ms) => void (aheadMs += ms)));

test('CONTRACT.md has the parameters and the outputs of the built package (npm run contract)', async () => {
	const nodes = Object.values(builtNodes());
	const lists = contractLists(nodes, builtCredentials(), await outputsOf());
	if (process.env.npm_lifecycle_event === 'contract')
		writeFileSync(
			FILE,
			readFileSync(FILE, 'utf8').replace(LISTS, () => lists),
		);
	const [written] = LISTS.exec(readFileSync(FILE, 'utf8')) ?? [];
	expect(written).toBe(lists);
});

test.each(BUILT.nodes.filter((file) => !file.includes('Trigger')))(
	'what the editor offers before a run of %s has the name and the kind that a run returns',
	async (file) => {
		const { description } = instanceOf<INodeType>(join(ROOT, file));
		const folder = `${posix.dirname(file)}/__schema__/v1.0.0`;
		const operations = operationsOf(description.properties);
		const pathOf = (operation: string) => `${folder}/${operation.replace(' ', '/')}.json`;
		expect(filesBelow(folder).sort()).toEqual(operations.map(pathOf).sort());
		const recorded = await outputsOf();
		const wrong = operations.flatMap((operation) => {
			const { fields } = recorded[`${description.name} ${operation}`];
			const offered = Object.entries(readSchema(pathOf(operation)).properties);
			expect(offered).not.toEqual([]);
			return offered
				.filter(([name, { type }]) => !isOfType(fields[name], type))
				.map(([name]) => `${operation} ${name}`);
		});
		// Any model returns a file or a text.
		const EITHER = ['model run text', 'request getResult text'];
		expect(wrong.filter((name) => !EITHER.includes(name))).toEqual([]);
	},
);

interface OutputSchema {
	properties: Record<string, { type: string }>;
}

function readSchema(path: string): OutputSchema {
	return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as OutputSchema;
}

/** Whether a recorded kind is a JSON type. Null tells nothing. */
function isOfType(recorded: string | undefined, type: string): boolean {
	return recorded === 'null' || recorded === (type === 'array' ? 'list' : type);
}
