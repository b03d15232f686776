import type { Emulator } from './index';

type Account = Pick<Emulator, 'urls' | 'key'>;

/** Makes a POST with the key, like a client. Returns the parsed response. @throws Error if the call is rejected */
export async function post<T>({ key }: Account, url: string, body: object): Promise<T> {
	const response = await fetch(url, {
		method: 'POST',
		headers: {
			// The emulator's reset would cut a connection that is kept open.
			connection: 'close',
			accept: 'application/json, text/plain, */*',
			'content-type': 'application/json',
			'x-api-key': key,
		},
		body: JSON.stringify(body),
	});
	if (!response.ok)
		throw new Error(`the emulator responded with ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

/** Submits a fine-tune job. Returns its ID. The order `fineTuneOpen` must be on. */
export async function submitFineTune(account: Account, name: string): Promise<string> {
	const url = `${account.urls.api}/finetune/request/submit`;
	const { finetune_id } = await post<{ finetune_id: string }>(account, url, {
		name,
		data_source_path: `https://example.com/${name}.zip`,
		instance_prompt: `a photo of TOK ${name}`,
		base_model: 'FLUX_PRO',
		theme: 'PRODUCT',
		trigger_word: 'TOK',
		segmind_public: false,
		advance_parameters: {},
	});
	return finetune_id;
}
