/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Puts the real n8n into the cache folder, for those who want that done before they need it. */
import { preparedN8n } from './installation';

preparedN8n((line) => void process.stdout.write(`${line}\n`)).then(
	({ version, n8n }) => void process.stdout.write(`n8n ${version} is ready: ${n8n}\n`),
	({ message }: Error) => {
		process.exitCode = 1;
		process.stderr.write(`n8n could not be installed: ${message}\n`);
	},
);
