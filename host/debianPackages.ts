/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Gives the path of a program that a Debian package brings, and installs the package first when the program is missing
 * and we are root. @throws Error with a sentence that names the package, when it is missing all the same
 */
export async function ensureDebianPackage(name: string, program: string): Promise<string> {
	if (existsSync(program)) return program;
	const missing = `${program} is missing: install Debian's package ${name}`;
	if (process.getuid?.() !== 0) throw new Error(`${missing} (sudo apt-get install ${name})`);
	const options = {
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		maxBuffer: 64 * 1024 * 1024,
	};
	const complaint = await run('apt-get', ['update'], options)
		.then(() => run('apt-get', ['install', '--yes', '--no-install-recommends', name], options))
		.then(
			() => '',
			({ message, stderr }: Error & { stderr?: string }) =>
				`; apt-get could not:\n${(stderr || message).slice(-1000)}`,
		);
	if (!existsSync(program)) throw new Error(missing + complaint);
	return program;
}
