/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { existsSync } from 'node:fs';

import { ensureDebianPackages } from './debianPackages';

/** The path of the browser in Debian's package. */
export const CHROMIUM = '/usr/bin/chromium';

/** Installs Chromium if it's missing. @throws Error with a sentence if it can't be installed */
export async function ensureChromium(say: (line: string) => void): Promise<void> {
	await ensureDebianPackages([{ name: 'chromium', isInstalled: () => existsSync(CHROMIUM) }], say);
}
