/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { ROOT } from '../../dev/base/project';

/** Returns every file below a folder of the project, as a path relative to the project's root, with slashes. */
export function filesBelow(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
