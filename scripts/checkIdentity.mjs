/**
 * Says whether package.json names the repository this runs in (GITHUB_REPOSITORY, `owner/name`); GitHub's workflow that publishes asks first.
 * A copy must not publish in the name of another one. Until the package has a home, package.json holds a placeholder that never fits.
 * `node scripts/checkIdentity.mjs [package.json]`
 */
import { readFileSync } from 'node:fs';

const [file = new URL('../package.json', import.meta.url)] = process.argv.slice(2);
const { repository, homepage } = JSON.parse(readFileSync(file, 'utf8'));
const own = process.env.GITHUB_REPOSITORY;
const address = `https://github.com/${own}`;
const wrong = [
	...(repository?.url === `git+${address}.git` ? [] : [`repository.url is ${repository?.url}`]),
	...(homepage === `${address}#readme` ? [] : [`homepage is ${homepage}`]),
];
if (!own) wrong.push('GITHUB_REPOSITORY is not set');
if (wrong.length > 0) {
	console.error(
		`Not published: package.json must name this repository, ${own ? address : 'which is unknown'}.\n${wrong.join('\n')}`,
	);
	process.exitCode = 1;
}
