/**
 * Every field of every operation, times every kind of wrong value: the error names the field, and nothing is sent. The fields come from the nodes'
 * descriptions, so a new field is in the table without a change here.
 */
import type { IDataObject } from 'n8n-workflow';

import {
	fieldsOf,
	NODE_OPERATIONS,
	type NodeField,
	type NodeOperation,
} from '../../helpers/nodeFields';
import { findTask } from '../../../nodes/shared/catalogue/tasks';
import { runParams, submitParams } from '../../helpers/inference';
import { fileItem, shownTexts, succeed, type FailedItem } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

/** Wrong texts of a field. */
const TEXTS: Record<string, string> = {
	'undefined in a text': '=a{{ $json.nothing }}',
	'the text of an expression': '{{ $json.nothing }}',
};
/** Other wrong values, which an expression returns that is the whole field. */
const VALUES: Record<string, (field: NodeField) => IDataObject[string]> = {
	undefined: () => undefined,
	'an object': () => ({ a: 1 }),
	'a wrong type': ({ property }) =>
		['string', 'resourceLocator', 'file'].includes(property.type) ? [1, 2] : 'abc{',
};
/** The editor offers no expression for some fields. Whether n8n evaluates one that was stored by hand depends on its version. */
const valuesOf = ({ property }: NodeField) =>
	property.noDataExpression === true ? [] : Object.keys(VALUES);

const isOption = ({ path }: NodeField) => /^(options|filters)\.\w+$/.test(path);
const isSwitch = ({ property, place }: NodeField) => property.type === 'boolean' && place !== 'row';

/** The fields and wrong values that don't fail, and why. */
const ALLOWED: Array<[why: string, isAllowed: (field: NodeField, wrong: string) => boolean]> = [
	[
		'an option that is undefined counts as not added, but not one that keeps from spending, or a whole request',
		(field, wrong) =>
			isOption(field) &&
			wrong === 'undefined' &&
			!/(minimumBalance|maximumCost|dryRun|requestBody)$/.test(field.path),
	],
	[
		'a switch that is undefined has its default, except for what makes something public or keeps from spending',
		(field, wrong) =>
			isSwitch(field) && wrong === 'undefined' && !/public|forceUpdate|dryRun/i.test(field.path),
	],
	[
		'these texts are optional',
		({ path }, wrong) =>
			wrong === 'undefined' && /^(fromDate|toDate|search|cloudStorageUrl)$/.test(path),
	],
	[
		'a name is optional',
		({ path, property }, wrong) =>
			wrong === 'undefined' && path === 'name' && property.required !== true,
	],
	[
		'any text or JSON of a form is sent as it is: Segmind decides, and charges nothing if it says no',
		({ place, property }, wrong) =>
			place === 'form' &&
			(/string|json/.test(property.type) || 'choices' in property) &&
			/type|object/.test(wrong),
	],
	[
		'an additional parameter is left out, with a hint, but not one whose name or type is missing',
		({ place, path, property }, wrong) =>
			place === 'row' &&
			path.startsWith('options.additionalParameters') &&
			!['name', 'type'].includes(property.name) &&
			wrong === 'undefined',
	],
	[
		"an optional parameter of a model is left out if it's undefined, with a hint",
		({ place, property }, wrong) =>
			place === 'form' && property.required !== true && wrong === 'undefined',
	],
	[
		'an object is JSON; a job needs more members, and a conversation is a list',
		({ property, title }, wrong) =>
			property.type === 'json' && !/^jobJson|conversation/.test(title) && wrong === 'an object',
	],
];

const isAllowed = (field: NodeField, wrong: string) =>
	ALLOWED.some(([, matches]) => matches(field, wrong));

const PICTURE = {
	bytes: Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)]),
};
const SOUND = { bytes: Buffer.from('s'), mimeType: 'audio/mpeg', fileName: 'talk.mp3' };

/** Runs the node for one item with each value, and returns what happened to each. */
async function verdictsOf(
	{ node }: NodeOperation,
	field: NodeField,
	stored: string,
	values: unknown[],
): Promise<string[]> {
	emulator.reset();
	const { failed } = await runNode({
		node,
		parameters: field.parametersWith(stored),
		items: values.map((wrong) =>
			fileItem({ data: PICTURE, sound: SOUND }, { wrong } as IDataObject),
		),
	});
	return values.map((_value, at) =>
		verdictOf(
			field,
			failed.find(({ item }) => item === at),
		),
	);
}

function verdictOf({ label }: NodeField, failed: FailedItem | undefined): string {
	const wasSent = emulator.calls.length > 0;
	// The list of models may be known from an earlier call.
	if (failed === undefined) return 'sent';
	if (failed.kind !== 'badInput') return wasSent ? 'sent' : `not sent: ${failed.message}`;
	if (wasSent) return `sent before: ${failed.message}`;
	const isNamed = failed.message.toLowerCase().includes(label.toLowerCase());
	return isNamed ? 'named' : `another field: ${failed.message}`;
}

/** The operations with their fields. All tasks are one piece of code (`generateItem`), so what several tasks have in common is tested for the first. */
const ofTasks = new Set<string>();
const OPERATIONS = NODE_OPERATIONS.map((operation) => {
	const { resource, operation: name } = operation.parameters;
	const isTask = operation.node === 'segmind' && findTask(resource, name) !== undefined;
	const fields = fieldsOf(operation).filter(({ title, property, place }) => {
		const key = JSON.stringify([title, property]);
		const isKnown = isTask && place !== 'form' && ofTasks.has(key);
		if (isTask) ofTasks.add(key);
		return !isKnown;
	});
	return { ...operation, fields };
});

test.each(OPERATIONS)('$title', async ({ fields, ...operation }) => {
	const found: Record<string, string> = {};
	const expected: Record<string, string> = {};
	const run = async (field: NodeField, stored: string, values: string[]) => {
		const made = values.map((wrong) => VALUES[wrong]?.(field));
		const verdicts = await verdictsOf(operation, field, stored, made);
		values.forEach((wrong, at) => (found[`${field.title}: ${wrong}`] = verdicts[at]));
	};
	for (const field of fields) {
		for (const wrong of [...Object.keys(TEXTS), ...valuesOf(field)])
			expected[`${field.title}: ${wrong}`] = isAllowed(field, wrong) ? 'sent' : 'named';
		for (const [wrong, text] of Object.entries(TEXTS)) await run(field, text, [wrong]);
		const [allowed, others] = [true, false].map((is) =>
			valuesOf(field).filter((wrong) => isAllowed(field, wrong) === is),
		);
		for (const wrong of allowed) await run(field, '={{ $json.wrong }}', [wrong]);
		if (others.length > 0) await run(field, '={{ $json.wrong }}', others);
	}
	expect(found).toEqual(expected);
});

test('the table has every operation, with hundreds of fields', () => {
	expect(NODE_OPERATIONS.length).toBeGreaterThan(35);
	expect(NODE_OPERATIONS.flatMap(fieldsOf).length).toBeGreaterThan(400);
});

const SECRET = 'tiny-token-1';
const secretFields = NODE_OPERATIONS.flatMap((operation) =>
	fieldsOf(operation)
		.filter(({ property }) => property.typeOptions?.password === true)
		.map((field) => ({ operation, field, title: `${operation.title} ${field.path}` })),
);

test.each(secretFields)('no error quotes $title', async ({ operation, field }) => {
	const texts = [
		`=${SECRET}{{ $json.nothing }}`,
		`={{ '${SECRET}' && undefined }}`,
		`={{ '${SECRET}' + $json }}`,
		`{{ $json['${SECRET}'] }}`,
		`={{ { a: '${SECRET}' } }}`,
	];
	for (const stored of texts) {
		const parameters = field.parametersWith(stored);
		const result = await runNode({ node: operation.node, parameters });
		expect(result.failed).toMatchObject([{ kind: 'badInput' }]);
		expect(shownTexts(result)).not.toContain(SECRET);
	}
});

test("an agent's texts are not checked for expressions", async () => {
	const parameters = submitParams({ prompt: '=a {{ $json.nothing }}' });
	const { error } = await runNode({ parameters, asTool: true });
	expect(error).toBeUndefined();
	expect(emulator.callsOf('submit')).toMatchObject([{ body: { prompt: 'a ' } }]);
});

test('a switch whose expression is undefined has its default', async () => {
	const nothing = '={{ $json.nothing }}';
	const switches = { waitForCompletion: nothing, simplify: nothing };
	const parameters = runParams(switches, { downloadOutput: nothing });
	const [item] = succeed(await runNode({ parameters })).items;
	expect(item.json.url).toEqual(expect.any(String));
	expect(item.binary).toHaveProperty('data');
	const [ofTool] = succeed(await runNode({ parameters, asTool: true })).items;
	expect(ofTool.binary).toBeUndefined();
});

/** Values of which an error may quote only a little. */
const HOSTILE: Record<string, string> = {
	'a long prompt': 'A very long prompt. '.repeat(200),
	'lines and control characters': 'line\r\n\u2028\tof\0 \u202etext '.repeat(200),
	'an emoji at the cut': `a${'😀'.repeat(500)}`,
	'another script': '日本語のとても長いファイル名'.repeat(200),
	'incomplete JSON': `{"prompt": "${'a "quoted" text '.repeat(200)}`,
	'a long URL': `https://example.com/${'a/'.repeat(1_000)}photo.jpg`,
	'a long expression': `{{ $json.${'photo'.repeat(400)} }}`,
};
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u202e]/u;

/** The first field of each kind. */
const KINDS = new Map(
	NODE_OPERATIONS.flatMap((operation) =>
		fieldsOf(operation).map((field) => [
			`${field.place} ${field.property.type}`,
			{ operation, field },
		]),
	).reverse() as Array<[string, { operation: NodeOperation; field: NodeField }]>,
);

test.each([...KINDS])(
	'quotes little of a hostile value in a field: %s',
	async (_kind, { operation, field }) => {
		const { node } = operation;
		const shown: string[] = [];
		for (const value of Object.values(HOSTILE)) {
			for (const stored of [value, `=${value} {{ $json.nothing }}`, '={{ $json.wrong }}']) {
				const parameters = field.parametersWith(stored);
				const items = [fileItem({ data: PICTURE, sound: SOUND }, { wrong: value })];
				const { failed } = await runNode({ node, parameters, items });
				shown.push(...failed.map(({ message, description = '' }) => `${message}. ${description}`));
			}
		}
		expect(shown.filter((text) => text.length > 360 || UNREADABLE.test(text))).toEqual([]);
	},
);
