/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { existsSync } from 'node:fs';

import { ensureDebianPackages } from './debianPackages';

/** The browser that Debian's package brings. */
export const CHROMIUM = '/usr/bin/chromium';

/** @throws Error with a sentence when it is missing and cannot be installed */
export async function preparedChromium(say: (line: string) => void): Promise<void> {
	await ensureDebianPackages([{ name: 'chromium', isThere: () => existsSync(CHROMIUM) }], say);
}
