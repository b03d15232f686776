/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { get } from 'node:http';

import type { Emulator } from '../../../dev/emulator';
import type { VirtualTime } from '../../helpers/virtualTime';
import type { Played } from './played';

/** Fetches the contents of the uploaded files that outputs and jobs refer to, by URL. */
export async function contentsOf(
	{ program, executions, jobs }: Pick<Played, 'program' | 'executions' | 'jobs'>,
	emulator: Emulator,
	time: VirtualTime,
): Promise<Record<string, string>> {
	if (!program.sendsFile && program.work !== 'asset') return {};
	const text = JSON.stringify([
		executions.map(({ result }) => result.items),
		jobs.map(({ input }) => input),
	]);
	const urls = new Set(text.match(/http:\/\/127\.0\.0\.1:\d+\/assets\/[\w.]+/g) ?? []);
	const contents: Record<string, string> = {};
	for (const url of urls)
		if (url.startsWith(emulator.urls.files)) contents[url] = await time.run(fetchText(url), 60_000);
	return contents;
}

async function fetchText(url: string): Promise<string> {
	return await new Promise((resolve, reject) => {
		get(url, { agent: false }, (response) => {
			let text = '';
			response
				.setEncoding('utf8')
				.on('data', (part: string) => (text += part))
				.on('end', () => resolve(text))
				.on('error', reject);
		}).on('error', reject);
	});
}
