/**
 * Recipes of several steps, in a real n8n with its own nodes. Mail goes to a stand-in on loopback, and the chat model follows a script. The MP3
 * files of the speech recipe are pinned, because the emulator makes only WAV files.
 */
import type { ModelCall } from '../../dev/n8n/chatApi';
import type { Mailbox } from '../../dev/n8n/mailbox';
import { simpleAssistant } from '../../dev/n8n/simpleAssistant';
import { itemsOf } from '../helpers/n8nWorkflows';
import { beginning, followLink, MP4, PNG, sendForm, useRecipes } from './recipeHost';

const {
	host,
	importRecipe,
	run,
	waitForSuccess,
	readFile,
	readBeginning,
	activate,
	waitForFirstExecution,
} = useRecipes();
let mailbox: Mailbox;

beforeAll(() => void ({ mailbox } = host));
beforeEach(() => void (mailbox.mails.length = 0));

/** Returns the slug and the input of every accepted request, in order. */
const requests = () => host.emulator.jobs.map(({ model, input }) => [model, input]);

test('chat-with-pictures.json: an uploaded picture is edited and animated, the chat is remembered, and Max Cost ends a series of calls', async () => {
	const { emulator, chatModel } = host;
	const workflow = await importRecipe('chat-with-pictures.json', {
		'When chat message received': { public: true },
	});
	const chat = `${await activate(workflow, 'webhook')}/chat`;
	const say = async (chatInput: string, file?: Blob) =>
		await sendForm(chat, {
			action: 'sendMessage',
			sessionId: 'one',
			chatInput,
			...(file && { files: file }),
		});
	const lastUrl = ({ messages }: ModelCall) =>
		/https?:[^\s"\\]+/.exec(messages.at(-1)?.text ?? '')?.[0];
	const edit = (call: ModelCall) => ({
		call: 'Edit_Picture',
		with: { Prompt: 'add a hat', input_image: lastUrl(call) },
	});
	const animate = (call: ModelCall) => ({
		call: 'Animate_Picture',
		with: { Prompt: 'it nods', image_url: lastUrl(call) },
	});
	const paint = { call: 'Make_Picture', with: { Prompt: 'a fox', aspect_ratio: '1:1' } };

	chatModel.play([edit, animate, 'Here it is']);
	const png = Buffer.from(
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=',
		'base64',
	);
	const uploadsBefore = emulator.callsOf('upload').length;
	expect(await say('Give it a hat', new Blob([png], { type: 'image/png' }))).toContain(
		'Here it is',
	);
	expect(emulator.callsOf('upload')).toHaveLength(uploadsBefore + 1);
	const [edited] = emulator.jobs;
	expect(requests()).toEqual([
		[
			'flux-kontext-pro',
			{ prompt: 'add a hat', input_image: expect.stringMatching(/^http.*\.png$/) },
		],
		['seedance-pro', { prompt: 'it nods', image_url: edited.files[0], duration: 5 }],
	]);
	expect(await (await fetch(edited.input.input_image as string)).arrayBuffer()).toEqual(
		new Uint8Array(png).buffer,
	);
	const offered = chatModel.calls[0].tools.map(({ name, schema }) => [
		name,
		Object.keys(schema.properties),
	]);
	expect(Object.fromEntries(offered)).toEqual({
		Make_Picture: ['Prompt', 'aspect_ratio'],
		Edit_Picture: ['Prompt', 'input_image'],
		Animate_Picture: ['Prompt', 'image_url'],
	});

	// Five pictures of 0.0364 USD fit into 0.20 USD.
	chatModel.play([...Array.from({ length: 6 }, () => paint), 'Enough']);
	expect(await say('Six foxes')).toContain('Enough');
	expect(requests().slice(2)).toEqual(
		Array.from({ length: 5 }, () => ['nano-banana', { prompt: 'a fox', aspect_ratio: '1:1' }]),
	);
	expect(chatModel.calls[0].messages.map(({ text }) => text).join('\n')).toMatch(
		/Give it a hat[^]*Here it is/,
	);
});

test('chat-with-pictures.json with the stand-in model of "npm run editor": the message decides which tool runs', async () => {
	const { emulator, chatModel } = host;
	const workflow = await importRecipe('chat-with-pictures.json', {
		'When chat message received': { public: true },
	});
	const chat = `${await activate(workflow, 'webhook')}/chat`;
	chatModel.play(simpleAssistant);
	const say = async (chatInput: string) =>
		await sendForm(chat, { action: 'sendMessage', sessionId: 'two', chatInput });
	for (const text of ['A lighthouse at night', 'Add a boat', 'Now make a video of it'])
		expect(await say(text)).toContain(emulator.jobs.at(-1)?.files[0] ?? 'a file');
	const [picture, edited] = emulator.jobs.map(({ files }) => files[0]);
	expect(requests()).toMatchObject([
		['nano-banana', { prompt: 'A lighthouse at night' }],
		['flux-kontext-pro', { prompt: 'Add a boat', input_image: picture }],
		['seedance-pro', { prompt: 'Now make a video of it', image_url: edited }],
	]);
});

test('chat-with-memory.json: the model gets what was said before, and only what was answered is remembered', async () => {
	const { emulator } = host;
	const workflow = await importRecipe('chat-with-memory.json', {
		'When chat message received': { public: true },
	});
	const chat = `${await activate(workflow, 'webhook')}/chat`;
	const say = async (chatInput: string, sessionId = 'one') => {
		const response = await sendForm(chat, { action: 'sendMessage', sessionId, chatInput });
		return (JSON.parse(response) as { output: string }).output;
	};
	const sent = () => (emulator.jobs.at(-1)?.input as { messages: unknown[] }).messages;
	const system = { role: 'system', content: expect.any(String) };
	const mine = (content: string) => ({ role: 'user', content });
	const models = (content: string) => ({ role: 'assistant', content });

	const first = await say('I am Ann.');
	expect(first).toContain('I am Ann.');
	expect(sent()).toEqual([system, mine('I am Ann.')]);
	emulator.set({ failJobs: 'all' });
	await expect(say('Lost')).rejects.toThrow('500');
	emulator.set({ failJobs: [] });
	await say('Who am I?');
	expect(sent()).toEqual([system, mine('I am Ann.'), models(first), mine('Who am I?')]);

	await say('And who am I?', 'two');
	expect(sent()).toEqual([system, mine('And who am I?')]);
});

/** About 3,500 characters, with a sentence in the middle that is too long for one part. */
const STORY = [
	...Array.from({ length: 12 }, (_unused, at) => `Evening ${at} came, and she climbed the stairs.`),
	`She counted ${'the steps and '.repeat(150)}arrived.`,
	...Array.from({ length: 12 }, (_unused, at) => `Morning ${at} came, and she went down.`),
].join(' ');

test('long-text-to-speech.json: WAV parts are joined into one file that contains all of their sound', async () => {
	const assignments = [{ id: '1', name: 'text', value: STORY, type: 'string' }];
	const workflow = await importRecipe('long-text-to-speech.json', {
		Text: { assignments: { assignments } },
	});
	const execution = await run(workflow);
	const spoken = host.emulator.jobs.map(({ input }) => input.text as string);
	expect(spoken).toHaveLength(6);
	// n8n sends the parts at the same time, so they arrive in any order.
	const parts = itemsOf(execution, 'Split at Sentences').map(({ json }) => json.text as string);
	expect([...spoken].sort()).toEqual([...parts].sort());
	expect(parts.join(' ')).toBe(STORY);
	for (const part of parts) expect(part.length).toBeLessThanOrEqual(600);
	const [joined] = itemsOf(execution, 'Join the Parts');
	const whole = await readFile(joined);
	const separate = await Promise.all(itemsOf(execution, 'Speak').map(readFile));
	expect(whole.subarray(44)).toEqual(Buffer.concat(separate.map((part) => part.subarray(44))));
	// The header of 44 bytes has the format, and the lengths of the file and of the samples.
	expect(whole.subarray(8, 40)).toEqual(separate[0].subarray(8, 40));
	expect([whole.readUInt32LE(4), whole.readUInt32LE(40)]).toEqual([
		whole.length - 8,
		whole.length - 44,
	]);
});

test('long-text-to-speech.json: MP3 parts are joined without the length header of the first', async () => {
	const file = { mimeType: 'audio/mpeg', fileName: 'a.mp3' };
	const mp3 = (text: string) => ({
		json: {},
		binary: { data: { ...file, data: Buffer.from(text).toString('base64') } },
	});
	const pinData = { Speak: [mp3('ID3..Xing.one,'), mp3('two,'), mp3('three')] };
	const execution = await run(await importRecipe('long-text-to-speech.json', {}, pinData));
	const [whole] = itemsOf(execution, 'Join the Parts');
	expect((await readFile(whole)).toString()).toBe('ID3..\0\0\0\0.one,two,three');
	expect(host.emulator.jobs).toEqual([]);
});

test.each([
	['yes', true],
	['no', false],
])(
	'approve-then-generate.json generates only if the answer is yes: %s',
	async (_answer, isApproved) => {
		const { emulator, n8n } = host;
		const workflow = await importRecipe('approve-then-generate.json');
		await sendForm(await activate(workflow, 'form'), {
			'field-0': 'a paper boat',
			'field-1': 'ann@example.com',
		});
		const { id, status } = await waitForFirstExecution(workflow);
		expect(status).toBe('waiting');
		const [{ to, text }] = mailbox.mails;
		expect(to).toBe('approver@example.com');
		expect(text).toMatch(/ann@example.com.*a paper boat[^]*0\.40 USD/);
		expect(emulator.jobs).toEqual([]);
		await followLink(text, isApproved, n8n.url);
		const execution = await waitForSuccess(id);
		expect(itemsOf(execution, 'Say No')).toHaveLength(isApproved ? 0 : 1);
		if (!isApproved) {
			expect(emulator.jobs).toEqual([]);
			expect(mailbox.mails.map((mail) => mail.to)).toEqual([
				'approver@example.com',
				'ann@example.com',
			]);
			return;
		}
		expect(requests()).toEqual([
			['seedance-2.0-mini', { prompt: 'a paper boat', duration: 5, resolution: '480p' }],
		]);
		expect(mailbox.mails[1].to).toBe('ann@example.com');
		expect(beginning(host.services.files.at(-1) as Buffer)).toMatch(MP4);
		expect(mailbox.mails[1].text).toContain(
			`drive.google.com/file/d/file-${host.services.files.length}/`,
		);
	},
);

const DAY_MS = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

test.each([
	['for yesterday by default, a day without requests', {}, /^Nothing was generated/],
	[
		'for today',
		{ fromDate: '={{ $today }}', toDate: '={{ $today.plus({ days: 1 }) }}' },
		/^nano-banana: 4 requests, 0\.15 USD\r?\n/,
	],
])('nightly-spend-report.json sends its report %s', async (_day, dates, wanted) => {
	const { emulator } = host;
	await run(await importRecipe('same-character.json'));
	const workflow = await importRecipe('nightly-spend-report.json', { 'Get Usage': dates });
	const callsBefore = emulator.callsOf('history').length;
	await run(workflow);
	const [{ to, subject, text }] = mailbox.mails;
	expect(to).toBe('you@example.com');
	expect(subject).toContain(dayOf(Date.now() - DAY_MS));
	expect(text.trim()).toMatch(wanted);
	expect(text).toMatch(/Balance: [\d.]+ USD/);
	expect(mailbox.mails).toHaveLength(1);
	expect(emulator.callsOf('history').length).toBeGreaterThan(callsBefore);
});

test('same-character.json uploads one picture, and each scene is an edit of it', async () => {
	const { emulator } = host;
	const uploadsBefore = emulator.callsOf('upload').length;
	const execution = await run(await importRecipe('same-character.json'));
	const [{ json }] = itemsOf(execution, 'Upload Reference');
	expect(emulator.callsOf('upload')).toHaveLength(uploadsBefore + 1);
	const scenes = itemsOf(execution, 'Split Out').map(({ json: { scene } }) => scene as string);
	expect(scenes).toHaveLength(4);
	expect(requests()).toEqual(
		expect.arrayContaining(
			scenes.map((scene) => [
				'nano-banana',
				{ prompt: expect.stringContaining(scene), image_urls: [json.url], aspect_ratio: '1:1' },
			]),
		),
	);
	const pictures = itemsOf(execution, 'New Scene');
	expect(pictures).toHaveLength(4);
	for (const item of pictures) expect(await readBeginning(item)).toMatch(PNG);
});

test('film-from-clips.json: each clip begins with the last frame of the clip before it, and all clips are joined', async () => {
	const { emulator } = host;
	const execution = await run(await importRecipe('film-from-clips.json'));
	const scenes = itemsOf(execution, 'Split Out').map(({ json: { scene } }) => scene as string);
	const clips = emulator.jobs.slice(0, 3).map(({ files }) => files);
	const clip = { duration: 5, resolution: '480p', return_last_frame: true };
	expect(requests()).toEqual([
		['seedance-2.0-mini', { ...clip, prompt: scenes[0] }],
		['seedance-2.0-mini', { ...clip, prompt: scenes[1], first_frame_url: clips[0][1] }],
		['seedance-2.0-mini', { ...clip, prompt: scenes[2], first_frame_url: clips[1][1] }],
		['video-stitch', { video_urls: clips.map(([video]) => video) }],
	]);
	const [film] = itemsOf(execution, 'Join the Clips');
	expect(await readBeginning(film)).toMatch(MP4);
});
