const { access, cp, readdir, readFile, rm, rmdir, writeFile } = require('node:fs/promises');
const { join, relative, sep } = require('node:path');
const { series } = require('gulp');
const { darkIcon } = require('./scripts/darkIcon');

const DIST = join(__dirname, 'dist');
const LIGHT_ICON = join(__dirname, 'icons', 'segmind.svg');
const DARK_ICON = join(__dirname, 'icons', 'segmind.dark.svg');

// What n8n reads at run time: code, codex files and icons. Types and source maps would only add size.
const KEPT_FOLDERS = ['nodes', 'credentials', 'icons'];
const KEPT_EXTENSIONS = ['.js', '.json', '.svg'];

/** Draws icons/segmind.dark.svg from icons/segmind.svg. */
async function icons() {
	await writeFile(DARK_ICON, darkIcon(await readFile(LIGHT_ICON, 'utf8')));
}

async function distExists() {
	await access(DIST).catch(() => {
		throw new Error('dist is missing: `gulp finish` runs after `n8n-node build`');
	});
}

// `n8n-node build` copied the icons before `icons` ran here. It copies neither codex files nor output schemas (docs/n8n.md N273), which tsc copies
// only while tsconfig.json includes them.
async function copyData() {
	await cp('icons', join(DIST, 'icons'), { recursive: true });
	for (const path of await readdir('nodes', { recursive: true }))
		if (path.endsWith('.node.json') || path.includes(`${sep}__schema__${sep}`))
			await cp(join('nodes', path), join(DIST, 'nodes', path), { recursive: true });
}

/** Whether a file is published. `path` is relative to dist. */
function isPublished(path) {
	const [folder, ...rest] = path.split(sep);
	return (
		rest.length > 0 &&
		KEPT_FOLDERS.includes(folder) &&
		KEPT_EXTENSIONS.some((extension) => path.endsWith(extension))
	);
}

/** Removes the files that aren't published from a folder of dist, and then the folder itself if it's empty. */
async function prune(folder = DIST) {
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) await prune(path);
		else if (!isPublished(relative(DIST, path))) await rm(path);
	}
	if (folder !== DIST && (await readdir(folder)).length === 0) await rmdir(folder);
}

const pruneDist = () => prune();

exports.icons = icons;
/** Turns what `n8n-node build` leaves in dist into exactly what is published. */
exports.finish = series(distExists, icons, copyData, pruneDist);
