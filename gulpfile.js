const { access, cp, mkdir, readdir, readFile, rm, rmdir, writeFile } = require('node:fs/promises');
const { basename, dirname, join, relative, sep } = require('node:path');
const { series } = require('gulp');
const manifest = require('./package.json');
const { darkIcon } = require('./scripts/darkIcon');

const DIST = join(__dirname, 'dist');
const LIGHT_ICON = join(__dirname, 'icons', 'segmind.svg');
const DARK_ICON = join(__dirname, 'icons', 'segmind.dark.svg');
const MODELS = join(DIST, 'nodes/shared/catalogue/models.json');

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

// `n8n-node build` copied the icons before `icons` ran here, and copies no codex files, which tsc copies only while tsconfig.json includes them.
async function copyData() {
	await cp('icons', join(DIST, 'icons'), { recursive: true });
	for (const path of await readdir('nodes', { recursive: true }))
		if (path.endsWith('.node.json')) await cp(join('nodes', path), join(DIST, 'nodes', path));
	// tsc writes a line for each member of the catalogue, which makes the package larger.
	const models = JSON.parse(await readFile(MODELS, 'utf8'));
	await writeFile(MODELS, JSON.stringify(models));
	// The nodes read these two of package.json's members, which tsc copied.
	const { name, version } = manifest;
	await writeFile(join(DIST, 'package.json'), JSON.stringify({ name, version }));
}

/** Writes the output of each operation as a JSON schema, which the editor shows before the node has run (docs/n8n.md N273). */
async function writeSchemas() {
	for (const file of manifest.n8n.nodes) {
		const path = join(__dirname, file);
		const Node = require(path)[basename(file, '.node.js')];
		const { description, operations = {} } = new Node();
		const folder = join(dirname(path), '__schema__', `v${description.version}.0.0`);
		for (const [name, output] of outputsIn(operations)) {
			const target = join(folder, `${name}.json`);
			await mkdir(dirname(target), { recursive: true });
			await writeFile(target, JSON.stringify(objectSchema(output)));
		}
	}
}

/** Returns the path of each operation, such as `image/edit`, and its output. A node with resources has a table of operations for each. */
function outputsIn(operations) {
	return Object.entries(operations).flatMap(([name, row]) =>
		row.output
			? [[name, row.output]]
			: outputsIn(row).map(([path, output]) => [`${name}/${path}`, output]),
	);
}

/** Indents the code with tabs, as its sources: tsc's spaces make the package larger. */
async function indent() {
	for (const path of await readdir(DIST, { recursive: true })) {
		if (!path.endsWith('.js')) continue;
		const file = join(DIST, path);
		const code = await readFile(file, 'utf8');
		await writeFile(
			file,
			code.replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
		);
	}
}

function objectSchema(fields) {
	const properties = Object.entries(fields).map(([name, type]) => [name, fieldSchema(type)]);
	return { type: 'object', properties: Object.fromEntries(properties) };
}

/** `type`: a JSON type, `texts` for a list of texts, or the fields of a list's entries, in a list. */
function fieldSchema(type) {
	if (Array.isArray(type)) return { type: 'array', items: objectSchema(type[0]) };
	if (type === 'texts') return { type: 'array', items: { type: 'string' } };
	return { type };
}

/** Whether a file is published. `path` is relative to dist. */
function isPublished(path) {
	if (path === 'package.json') return true;
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
exports.finish = series(distExists, icons, copyData, indent, writeSchemas, pruneDist);
