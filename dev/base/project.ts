/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of this repository. `__dirname` can't be used: if an ES module imports this file, Node 20 defines only `__filename` here. */
export const ROOT = join(__filename, '../../..');

/** The part of package.json that lists a package's nodes and credentials for n8n. */
interface PackageFile {
	name: string;
	n8n: { nodes: string[]; credentials: string[] };
}

const packageFile = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageFile;

/** The name of the package, which is the prefix of its node types. */
export const PACKAGE = packageFile.name;

/** Files of the nodes and credentials in dist, relative to ROOT. */
export const BUILT = packageFile.n8n;
