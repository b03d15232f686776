/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Started as a process of its own: sends the addresses and credentials of an emulator to its parent, and ends with it. */
import { startEmulator } from './index';

process.once('disconnect', () => process.exit());
void startEmulator({ queueMs: 10, jobMs: 60 }).then(({ urls, credentials, session, key }) =>
	process.send?.({ urls, credentials, session, key }),
);
