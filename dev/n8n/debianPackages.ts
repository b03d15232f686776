/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { run } from '../base/run';

/** A Debian package that must be installed. */
interface DebianPackage {
	name: string;
	isInstalled: () => boolean;
}

/**
 * Makes sure that Debian packages are installed. It installs missing packages, which needs root, only if the environment has CI=true, so that no
 * other system is changed unasked. `say` receives lines for the user.
 * @throws Error with a sentence that names the missing packages
 */
export async function ensureDebianPackages(
	packages: DebianPackage[],
	say: (line: string) => void,
): Promise<void> {
	const missing = packages.filter(({ isInstalled }) => !isInstalled()).map(({ name }) => name);
	if (missing.length === 0) return;
	const sentence = `Some Debian packages are missing. Run: apt-get install ${missing.join(' ')}`;
	if (process.env.CI !== 'true') throw new Error(sentence);
	say(`Installing Debian packages: ${missing.join(', ')} …`);
	const options = {
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		maxBuffer: 64 * 1024 * 1024,
	};
	await run('apt-get', ['update'], options)
		.then(
			async () =>
				await run('apt-get', ['install', '-y', '--no-install-recommends', ...missing], options),
		)
		.catch(({ message, stderr }: Error & { stderr?: string }) => {
			throw new Error(
				`${sentence}. The automatic installation failed:\n${(stderr || message).slice(-1000)}`,
			);
		});
}
