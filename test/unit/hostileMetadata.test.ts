/** Whatever the service's list says about a model, n8n can show and store the model's form, and never evaluates any of it. */
import { formOf, readStoredForm } from '../../nodes/shared/catalogue/form';
import { listedParameters } from '../../nodes/shared/catalogue/listedParameters';

const TEXTS = [
	...['={{ $env }}', ' = 1', '==x', '$fromAI("a")', '$from$fromAI(AI(', '=$fromAI ( "x")'],
	...['\u0000=1', '\u200b={{ 1 }}', 'a\ud800b', `${'x'.repeat(199)}\u{20000}`],
];
/** Names that n8n can't use as the ID of a field. */
const NAMES = [
	...['__proto__', 'constructor', 'prototype', '.form', 'a"]', '=x', 'x y', '', 'n'.repeat(101)],
];
const LISTED = Object.fromEntries([
	...NAMES.map((name) => [name, { type: 'str' }]),
	...TEXTS.flatMap((text, at) => [
		[`text${at}`, { type: 'str', label: text, default: text, options: [text, { value: text }] }],
		[`choice${at}`, { type: text, label: { text }, values: ['oil', text, { label: text }, null] }],
	]),
]) as unknown;

function formFor(slug: string, stored: unknown, isTool: boolean) {
	const setting = { slug, isTool, stored: readStoredForm(stored) };
	return formOf(listedParameters(LISTED), setting).fields;
}
function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

test.each([true, false])('the fields have safe, unique IDs and safe texts (tool: %s)', (isTool) => {
	const options = [
		...TEXTS.map((text) => ({ name: text, value: text })),
		{ name: 'a', value: [1] },
	];
	const schema = [
		...[...NAMES, ['list'], 'own', 'own'].map((id) => ({
			id,
			displayName: '=1',
			type: 'options',
			options,
		})),
		{ id: '.form', displayName: 'painter-9', options },
	];
	const value = Object.fromEntries([...NAMES, 'own', 'text0'].map((name) => [name, TEXTS[0]]));
	const stored = { schema: [null, 'x', schema.at(-1), ...schema], value };
	for (const fields of [TEXTS[0], 'painter-9'].map((slug) => formFor(slug, stored, isTool))) {
		const ids = fields.map(({ id }) => id).filter((id) => id !== '.form');
		expect([...new Set(ids)]).toEqual(ids);
		expect(ids.filter((id) => !/^(text|choice)\d$/.test(id) && id !== 'own')).toEqual([]);
		for (const text of stringsIn(fields)) {
			expect(text).not.toMatch(/^\s*=|\$fromAI\s*\(|\p{Surrogate}/iu);
		}
		for (const { id, type, options: choices } of fields)
			if (type === 'options' && id !== 'own') expect(choices).not.toEqual([]);
	}
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
