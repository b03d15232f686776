/** A delivery takes processor time in proportion to its size, whatever its content. */
import { expectLinear } from '../helpers/processorTime';
import { hostTrigger, type WebhookHost } from '../helpers/triggers';
import { useEmulator } from '../helpers/emulator';

const emulator = useEmulator();

const SIZE = 63_000;

const repeatTo = (text: string, length: number) =>
	text.repeat(Math.ceil(length / text.length)).slice(0, length);
const quote = (text: string) => JSON.stringify(text);

/** Returns an object of about this length as JSON, with one member for each number. */
function objectOf(name: (at: number) => string, value: string, length: number): string {
	const members: string[] = [];
	for (let at = 0, size = 0; size < length; at++) {
		const member = `${quote(name(at))}:${value}`;
		size += member.length + 1;
		members.push(member);
	}
	return `{${members.join(',')}}`;
}

/** Bodies of about this many bytes that slow code might take long to read. */
const BODIES: Record<string, (length: number) => string> = {
	'one long string': (length) => `{"event":"AVAILABLE","x":${quote(repeatTo('y', length))}}`,
	'one long name': (length) => `{${quote(repeatTo('://', length))}:1}`,
	'URLs in names': (length) => objectOf((at) => `://${at}@://`, '1', length),
	'one string of URLs': (length) => `{"x":${quote(repeatTo('://a?', length))}}`,
	'many names': (length) => objectOf(String, '0', length),
	'many events': (length) => objectOf((at) => `eVent${'_'.repeat(at % 30)}`, '"x"', length),
	'a long event': (length) => `{"event":${quote(repeatTo('AVAILABLE. ', length))}}`,
	'escapes in a name': (length) => `{${quote(repeatTo('%2525%5C\\u0026quot;', length / 2))}:1}`,
	'backslashes in a string': (length) =>
		`{"event":"AVAILABLE","x":${quote(repeatTo('\\', length / 2))}}`,
	'escapes in the ID': (length) =>
		`{"event":"AVAILABLE","finetune_id":"${repeatTo('%25', 150)}","x":${quote(repeatTo('%25', length))}}`,
	spaces: (length) => `{"event":${quote(repeatTo(' \t', length / 2))}}`,
	'wide lists': (length) =>
		`{"event":"AVAILABLE","x":[${repeatTo('{},', length)}1]}`
			.replace('{,', '{},')
			.replace('{}1', '1'),
	'nested as deep as allowed': (length) =>
		`{"x":[${repeatTo(`${'['.repeat(196)}${']'.repeat(196)},`, Math.floor(length / 393) * 393)}1]}`,
	'nested deeper': (length) => `{"x":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`,
	'keys and tokens': (length) =>
		objectOf((at) => `SG_0123456789abcdef${at} eyJ${'a'.repeat(20)}`, '1', length),
	'members with long prefixes': (length) =>
		objectOf((at) => `${'payload_'.repeat(at % 100)}event`, '"AVAILABLE"', length),
	'not JSON': (length) => repeatTo('[{"a":', length),
};

let host: WebhookHost;
beforeAll(async () => {
	host = await hostTrigger({ emulator, parameters: { events: ['AVAILABLE'] } });
	for (const body of Object.values(BODIES)) await deliver(body(1_000));
});
afterAll(async () => {
	expect(host.errors).toEqual([]);
	await host.close();
});

async function deliver(body: string): Promise<void> {
	await host.deliver({ body, headers: { 'content-type': 'text/plain' } });
	await host.whenIdle();
}

test.each(Object.entries(BODIES))('takes linear time: %s', async (_name, make) => {
	// One delivery takes too little time to measure.
	await expectLinear(
		make,
		async (body) => await Promise.all(Array(20).fill(body).map(deliver)),
		SIZE / 8,
	);
});
