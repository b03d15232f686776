/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** The process that remote.ts starts: it runs an emulator, sends its URLs and credentials to the parent process, and ends with the parent. */
import { startEmulator } from './index';

process.once('disconnect', () => process.exit());
void startEmulator({ queueMs: 10, jobMs: 60 }).then(({ urls, credentials, session, key }) =>
	process.send?.({ urls, credentials, session, key }),
);
