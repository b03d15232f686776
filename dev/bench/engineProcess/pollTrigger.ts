import { builtCredentials, builtNodes } from '../../base/builtNodes';
import { CredentialStore } from '../../engine/credentialStore';
import { nodeOf } from '../../engine/node';
import { Poller } from '../../engine/poller';
import { costOf } from './cost';
import type { PollReport, PollRun } from './messages';

/** What n8n allows a poll, ms. */
const BUDGET_MS = 60_000;

/** The poll with which n8n activates Segmind Trigger. */
export async function pollTrigger({ parameters, credentials }: PollRun): Promise<PollReport> {
	const nodeType = builtNodes()['n8n-nodes-segmind.segmindTrigger'];
	const poller = new Poller({
		workflowId: 'bench',
		load: () => nodeType,
		node: () => nodeOf({ parameters }, nodeType),
		credentials: new CredentialStore(builtCredentials(), credentials),
		budgetMs: BUDGET_MS,
	});
	const { value, cost } = await costOf(async () => await poller.activate());
	return { ...cost, items: value.length };
}
