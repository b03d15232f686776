import { beginning, PNG, sendForm, useRecipes, type Changes } from './recipeHost';

const { host, imported, run, succeeded, activated, firstExecution } = useRecipes();

test('product-photo-to-slack.json, Slack a stand-in on loopback', async () => {
	const { emulator, services } = host.it;
	await run(await imported('product-photo-to-slack.json'));
	const [cutOut, film] = emulator.jobs;
	expect(film.input).toMatchObject({ image_url: cutOut.files[0] });
	expect(services.files[0].toString('latin1')).toMatch(/ftyp/);
	expect(services.messages.at(-1)).toMatchObject({ channel_id: 'C0123456789' });
});

describe('sheet-to-drive.json, Google a stand-in on loopback', () => {
	const HEADER = ['prompt', 'status', 'request_id', 'url', 'note'];

	test('60 rows: each with its picture in the drive; a second run pays for none', async () => {
		const { emulator, services } = host.it;
		services.files.length = 0;
		services.sheet = [
			HEADER,
			...Array.from({ length: 60 }, (_u, at) => [`picture ${at}`, '', '', '', '']),
		];
		const workflow = await imported('sheet-to-drive.json');
		await run(workflow);
		expect(emulator.jobs).toHaveLength(60);
		const made = new Map(emulator.jobs.map(({ input, requestId }) => [input.prompt, requestId]));
		for (const [prompt, status, id, url] of services.sheet.slice(1))
			expect([status, id, url]).toEqual([
				'done',
				made.get(prompt),
				expect.stringContaining('drive.google.com'),
			]);
		expect(services.files.map((file) => beginning(file))).toEqual(
			Array.from({ length: 60 }, () => expect.stringMatching(PNG)),
		);
		await run(workflow);
		expect(emulator.jobs).toHaveLength(60);
	});

	test('a row with an ID is fetched, only one without is sent, one left at "sending" is neither', async () => {
		const { emulator, services } = host.it;
		services.sheet = [HEADER, ['a', '', '', '', '']];
		const workflow = await imported('sheet-to-drive.json');
		await run(workflow);
		const [, [, , id]] = services.sheet;
		const rows = [
			['a', 'sent', id],
			['b', '', ''],
			['c', 'sending', ''],
		];
		services.sheet = [HEADER, ...rows.map((row) => [...row, '', ''])];
		await run(workflow);
		expect(emulator.callsOf('submit').map(({ body }) => body)).toMatchObject([
			{ prompt: 'a' },
			{ prompt: 'b' },
		]);
		const statuses = services.sheet.slice(1).map(([, status]) => status);
		expect(statuses).toEqual(['done', 'done', 'sending']);
	});
});

describe('form-to-picture.json', () => {
	/** Fills in the form and reads the page that it ends with. */
	async function filledIn(): Promise<string> {
		const workflow = await imported('form-to-picture.json');
		const address = await activated(workflow, 'form');
		expect((await fetch(address)).status).toBe(200);
		const answer = await sendForm(address, { 'field-0': 'a red fox', 'field-1': '16:9' });
		const { formWaitingUrl } = JSON.parse(answer) as { formWaitingUrl: string };
		const { id } = await firstExecution(workflow);
		const page = await (await fetch(formWaitingUrl)).text();
		// As the page itself does once it is shown.
		await fetch(formWaitingUrl, { method: 'POST' });
		await succeeded(id);
		return page;
	}

	test('shows the picture', async () => {
		const page = await filledIn();
		const [{ input, files }] = host.it.emulator.jobs;
		expect(input).toEqual({ prompt: 'a red fox', aspect_ratio: '16:9' });
		expect(page).toContain(`<img src="${files[0]}"`);
	});

	test('says why there is none', async () => {
		host.it.emulator.set({ failJobs: 'all', failText: 'Too many hands.' });
		expect(await filledIn()).toContain('Too many hands.');
	});
});

describe('webhook-to-picture.json', () => {
	async function called(changes: Changes = {}): Promise<Response> {
		const workflow = await imported('webhook-to-picture.json', changes);
		const address = await activated(workflow, 'webhook');
		const answer = await fetch(address, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ prompt: 'a red fox' }),
		});
		await host.it.api.deactivate(workflow.id);
		return answer;
	}

	test('answers with the picture', async () => {
		const answer = await called();
		expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
		expect(beginning(Buffer.from(await answer.arrayBuffer()))).toMatch(PNG);
		expect(host.it.emulator.jobs[0].input).toEqual({ prompt: 'a red fox' });
	});

	test('answers with the request when time is up, and with the reason of a failure', async () => {
		const { emulator } = host.it;
		emulator.set({ jobMs: 60_000 });
		const options = { timeoutSeconds: 1, onTimeout: 'returnRequest' };
		const late = await called({ 'Generate an image': { options } });
		expect([late.status, await late.json()]).toMatchObject([
			202,
			{ request_id: emulator.jobs[0].requestId },
		]);
		emulator.set({ failJobs: 'all', jobMs: 100 });
		const failed = await called();
		expect([failed.status, await failed.json()]).toEqual([502, { error: expect.any(String) }]);
	});
});
