/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Puts the real n8n into the cache folder, for those who want that done before they need it; with `queue` also what queue mode needs. */
import { preparedN8n } from './installation';
import { preparedServices } from './queueServices';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function prepare(queue: boolean): Promise<void> {
	if (queue) await preparedServices(say);
	const { version, n8n } = await preparedN8n(say);
	say(`n8n ${version} is ready: ${n8n}`);
}

prepare(process.argv[2] === 'queue').catch(({ message }: Error) => {
	process.exitCode = 1;
	process.stderr.write(`Preparing failed: ${message}\n`);
});
