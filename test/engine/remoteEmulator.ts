/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Started by a test as a process of its own: sends the addresses and credentials of an emulator to its parent. */
import { startEmulator } from '../../emulator';

void startEmulator({ queueMs: 10, jobMs: 60 }).then(({ urls, credentials, key }) => process.send?.({ urls, credentials, key }));
