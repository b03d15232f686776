/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of this repository. By the file's name: Node 20 knows no `__dirname` where an ES module imports this one. */
export const ROOT = join(__filename, '../../..');

/** The part of package.json by which n8n finds what a package holds. */
interface PackageFile {
	name: string;
	n8n: { nodes: string[]; credentials: string[] };
}

const packageFile = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageFile;

/** Name of the package: what its node types begin with. */
export const PACKAGE = packageFile.name;

/** Files of the nodes and credentials in dist, relative to ROOT. */
export const BUILT = packageFile.n8n;
