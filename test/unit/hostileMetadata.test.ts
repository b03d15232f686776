/** Whatever the service's list says about a model, n8n can show and store the model's form, and never evaluates any of it. */
import fc from 'fast-check';
import type { ResourceMapperField } from 'n8n-workflow';

import { formOf, readStoredForm } from '../../nodes/shared/catalogue/form';
import { listedParameters } from '../../nodes/shared/catalogue/listedParameters';
import { findModel } from '../../nodes/shared/catalogue';

const hostileText = fc.oneof(
	fc.constantFrom(
		...['={{ $env }}', ' = 1', '==x', '$fromAI("a")', '$from$fromAI(AI(', '=$fromAI ( "x")', ''],
		...['\u0000=1', '\u200b={{ 1 }}', '__proto__', 'a"]', '\ud800', '<b>x</b>'],
	),
	fc.string({ unit: 'binary' }),
);
const names = fc.oneof(
	fc.constantFrom(
		...['__proto__', 'constructor', 'prototype', '.form', 'steps', 'duration', 'prompt', 'image'],
		...['a.b', 'a"]', '=x', 'x y', ''],
	),
	fc.stringMatching(/^[a-z_]{1,8}$/),
	hostileText,
);
const words = fc.oneof(
	fc.constantFrom(
		...['str', 'int', 'image', 'image[]', 'slider', 'bool', 'dict', 'array', 'dropdown'],
		...['float', 'Integer', ''],
	),
	hostileText,
	fc.jsonValue(),
);
const loose = fc.oneof(hostileText, fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue());
const choice = fc.oneof(loose, fc.dictionary(fc.constantFrom('value', 'label'), loose));
const choices = fc.oneof(loose, fc.array(choice, { maxLength: 4 }));
const MEMBERS = [
	...['label', 'isRequired', 'default', 'min', 'max', 'displayOrder', 'hidden', 'isAdvanced'],
	...['affectsPricing', 'type', 'component', 'options', 'values'],
];
const member = fc.oneof(words, choices);
const members = fc.dictionary(fc.constantFrom(...MEMBERS), member, { maxKeys: 5 });
const entry = fc.oneof(loose, members);
const parameters = fc.oneof(
	fc.array(fc.tuple(names, entry), { maxLength: 8 }).map((pairs) => {
		const members = pairs.map((pair) =>
			pair.map((part) => JSON.stringify(part) ?? 'null').join(':'),
		);
		return JSON.parse(`{${members.join(',')}}`) as unknown;
	}),
	fc.array(fc.oneof(entry, fc.record({ name: names, type: words }))),
	loose,
);
const slugs = fc.constantFrom('painter-9', 'kling-2.6', 'veo-3.1', 'chatterbox-turbo-tts');
const values = fc.dictionary(names, fc.oneof(hostileText, fc.integer(), fc.boolean()), {
	maxKeys: 6,
});

function formFor(
	raw: unknown,
	slug: string,
	stored: unknown,
	isTool: boolean,
): ResourceMapperField[] {
	return formOf(listedParameters(raw, findModel(slug)?.parameters), {
		slug,
		isTool,
		stored: readStoredForm(stored),
	}).fields;
}
function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
function expectHarmless(texts: string[]): void {
	for (const text of texts) {
		expect(text).not.toMatch(/^\s*=/);
		expect(text).not.toMatch(/\$fromAI\s*\(/i);
		expect(text).not.toMatch(/\p{Surrogate}/u);
	}
}

test('the fields have safe, unique IDs and safe texts', () => {
	fc.assert(
		fc.property(parameters, slugs, values, fc.boolean(), (raw, slug, value, isTool) => {
			const fields = formFor(raw, slug, { value, schema: raw }, isTool);
			for (const { id } of fields) {
				expect(id).toMatch(/^[A-Za-z0-9_.-]+$/);
				expect(['__proto__', 'constructor', 'prototype']).not.toContain(id);
			}
			expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
			expectHarmless(stringsIn(fields));
			for (const { type, options } of fields)
				if (type === 'options') expect(options?.length).toBeGreaterThan(0);
		}),
		{ numRuns: 200 },
	);
});

test('a typed value keeps its field and its type, whatever the list returns later', () => {
	fc.assert(
		fc.property(parameters, parameters, slugs, fc.boolean(), (before, after, slug, isTool) => {
			const schema = formFor(before, slug, undefined, isTool);
			const shown = schema.filter(({ display }) => display).map(({ id }) => id);
			const stored = {
				schema: JSON.parse(JSON.stringify(schema)) as unknown,
				value: Object.fromEntries(shown.map((id) => [id, 'typed'])),
			};
			const next = formFor(after, slug, stored, isTool);
			expect(next.map(({ id }) => id)).toEqual(expect.arrayContaining(shown));
			const types = readStoredForm({ schema: next }).wireTypes;
			for (const id of shown) expect(types.get(id)).toBeDefined();
			// Asked again, n8n sees no change.
			expect(formFor(after, slug, { ...stored, schema: next }, isTool)).toEqual(next);
		}),
		{ numRuns: 150 },
	);
});

it('an empty required field that the model no longer has does not stay required: n8n would not run the node', () => {
	const formWith = (names: string[], stored: unknown) =>
		formOf(
			names.map((name) => ({ name, type: 'string', required: true })),
			{ slug: 'm', isTool: false, stored: readStoredForm(stored) },
		);
	const before = formWith(['style', 'size'], {});
	const after = formWith(['size'], { schema: before.fields, value: { size: 'a' } });
	expect(after.fields.filter(({ required }) => required).map(({ id }) => id)).toEqual(['size']);
});
