/** Expressions that would spoil a paid request fail before any call; all others are sent as n8n evaluates them. */
import type { INodeParameters } from 'n8n-workflow';

import { NOTHING_SENT } from '../../nodes/shared/base/failure';
import { fileRow, model, numberRow, rows, submitParams, textRow } from '../helpers/inference';
import { fileItem } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const item = fileItem({ data: { bytes: Buffer.from('x') } });

async function send({ additionalParameters, options, ...more }: INodeParameters) {
	const parameters = submitParams(more, {
		...(additionalParameters && { additionalParameters }),
		...(options as INodeParameters),
	});
	const { error } = await runNode({ parameters, items: [item] });
	return { error, body: emulator.callsOf('submit')[0]?.body };
}

const template = 'The {{ $json.name }} turns';
test.each<[string, INodeParameters, string]>([
	['in the prompt', { prompt: `=${template}` }, 'Prompt contains {{ $json.name }}'],
	[
		'in the second of two expressions',
		{ prompt: '={{ 1 }} {{ $json.name }}' },
		'Prompt contains {{ $json.name }}',
	],
	[
		'in a row',
		{ additionalParameters: rows(textRow('style', `=${template}`)) },
		"Input 'style' contains {{ $json.name }}",
	],
	[
		'in the JSON of a row',
		{ additionalParameters: rows({ name: 'tags', type: 'json', jsonValue: `=["${template}"]` }) },
		"Input 'tags' contains {{ $json.name }}",
	],
	[
		'in a field of the form',
		{ parameters: { mappingMode: 'defineBelow', value: { aspect_ratio: `=${template}` } } },
		"Parameter 'aspect_ratio' contains {{ $json.name }}",
	],
	[
		'in Request Body',
		{ options: { requestBody: `={"prompt": "${template}"}` } },
		"Option 'Request Body' contains {{ $json.name }}",
	],
	['as the whole prompt', { prompt: '={{ $json.name }}' }, 'Prompt contains {{ $json.name }}'],
	[
		'as the whole of a file field of the form',
		{ parameters: { mappingMode: 'defineBelow', value: { image_urls: '={{ $json.photo }}' } } },
		"Parameter 'image_urls' contains {{ $json.photo }}",
	],
	[
		'in an object that is missing',
		{ parameters: { mappingMode: 'defineBelow', value: { seed: '={{ $json.row.seed }}' } } },
		"Parameter 'seed' contains {{ $json.row.seed }}",
	],
	[
		'in the name of a row',
		{ additionalParameters: rows(textRow('=image_{{ $json.name }}', 'x')) },
		"Input 'image_' contains {{ $json.name }}",
	],
	[
		'in the value of a file row',
		{ additionalParameters: rows(fileRow('image', '=data{{ $json.name }}')) },
		"Input 'image' contains {{ $json.name }}",
	],
	[
		'in the value of a number row',
		{ additionalParameters: rows(numberRow('seed', '=1{{ $json.name }}' as never)) },
		"Input 'seed' contains {{ $json.name }}",
	],
	[
		'in the model',
		{ model: model('=nano-banana{{ $json.name }}') },
		'Model contains {{ $json.name }}',
	],
	[
		'in a list',
		{ additionalParameters: rows({ name: 'a', type: 'json', jsonValue: '={{ [$json.name] }}' }) },
		"Input 'a' contains {{ [$json.name] }}",
	],
	['without its closing braces', { prompt: '=a {{ $json.name' }, 'Prompt contains {{ $json.name'],
	[
		'in a calculation',
		{ prompt: '=Price: {{ $json.name * 2 }} EUR' },
		'Prompt contains {{ $json.name * 2 }}',
	],
	['as an object in a text', { prompt: '=Describe {{ $json }}' }, 'which is an object'],
	['as an object before a line break', { prompt: '={{ $json }}\n' }, 'which is an object'],
	['as a list of objects in a text', { prompt: '=Describe {{ [{}] }}' }, 'which is an object'],
	['left as Fixed', { prompt: template }, 'Prompt contains the text of an expression'],
	[
		'left as Fixed in a row',
		{ additionalParameters: rows(textRow('style', template)) },
		"Input 'style' contains the text of an expression",
	],
])(
	'an expression that resolves to nothing %s fails before any call, and the error names the field',
	async (_where, parameters, message) => {
		const { error } = await send({ prompt: '', ...parameters });
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(NOTHING_SENT);
		expect(emulator.calls).toEqual([]);
	},
);

test.each([
	['an escaped brace', '=Explain \\{{ name }} in Jinja', '{{ name }} in Jinja'],
	['braces of Vue', "Explain {{ $t('hello') }}", "Explain {{ $t('hello') }}"],
	['braces of PHP', 'Explain {{ $items->links() }}', 'Explain {{ $items->links() }}'],
	['braces of Helm', 'Explain {{ $values.image }}', 'Explain {{ $values.image }}'],
])('%s in a prompt is sent', async (_what, prompt, sent) => {
	const { error, body } = await send({ prompt });
	expect(error).toBeUndefined();
	expect(body).toMatchObject({ prompt: expect.stringContaining(sent) as string });
});

test('the value of an expression is sent if it is null, empty or a default', async () => {
	const { error, body } = await send({
		prompt: "=a {{ null }} b {{ '' }} c {{ $json.name ?? 'd' }}",
	});
	expect(error).toBeUndefined();
	expect(body).toMatchObject({ prompt: expect.stringMatching(/^a .*b .*c d/) as string });
});
