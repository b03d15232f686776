/** Texts of errors: what they quote can't fill them, break them or show a secret, whoever writes them. */
import { say, whole } from '../../nodes/shared/errors/say';

test.each<[string, string, RegExp]>([
	['a long value', 'x'.repeat(20_000), /^'x{90}…' is wrong$/],
	['a value of several lines', 'a\nb', /^'a b' is wrong$/],
	['a value with markup', '<img src=x>', /^'< img src=x>' is wrong$/],
	['a value with a key', 'a SG_0123456789abcdef', /^'a \[hidden\]' is wrong$/],
	['a value that looks like a placeholder', '{value} $&', /^'\{value\} \$&' is wrong$/],
])('%s is quoted as one short line without secrets', (_name, value, expected) => {
	expect(say`'${value}' is wrong`.said).toMatch(expected);
});

test('a text in a text is quoted once, so that its own words are never cut', () => {
	const sentence = `${'Words of this package. '.repeat(20)}`;
	const inner = say`${whole(sentence)}'${'x'.repeat(20_000)}'`;
	expect(say`${7}: ${inner}.`.said).toBe(`7: ${sentence}'${'x'.repeat(90)}…'.`);
});
