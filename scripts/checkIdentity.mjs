/**
 * Checks that package.json names the repository that this runs in (GITHUB_REPOSITORY, `owner/name`), before GitHub's workflow publishes the package:
 * a copy of the repository must not publish. Until the package has a repository, package.json has a placeholder that never matches.
 * `node scripts/checkIdentity.mjs [package.json]`
 */
import { readFileSync } from 'node:fs';

const [file = new URL('../package.json', import.meta.url)] = process.argv.slice(2);
const { repository, homepage } = JSON.parse(readFileSync(file, 'utf8'));
const repositoryName = process.env.GITHUB_REPOSITORY;
const address = `https://github.com/${repositoryName}`;
const wrong = [
	...(repository?.url === `git+${address}.git` ? [] : [`repository.url is ${repository?.url}`]),
	...(homepage === `${address}#readme` ? [] : [`homepage is ${homepage}`]),
];
if (!repositoryName) wrong.push('GITHUB_REPOSITORY is not set');
if (wrong.length > 0) {
	console.error(
		`Not published: package.json must name this repository, ${repositoryName ? address : 'which is unknown'}.\n${wrong.join('\n')}`,
	);
	process.exitCode = 1;
}
