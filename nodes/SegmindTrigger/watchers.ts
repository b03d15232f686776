import type { IPollFunctions } from 'n8n-workflow';

import { balanceWatcher } from './balance/balanceWatcher';
import { fineTuneJobsWatcher } from './fineTuneJobs/fineTuneJobsWatcher';
import { listedRequestsWatcher } from './listedRequests/listedRequestsWatcher';
import { requestHistoryWatcher } from './requestHistory/requestHistoryWatcher';
import type { Watcher } from './watcher';

/** The watcher of the event that is chosen in the node. @throws SegmindFailure for a parameter that cannot be used */
export function chosenWatcher(context: IPollFunctions): Watcher {
	switch (String(context.getNodeParameter('event'))) {
		case 'creditsBelow':
			return balanceWatcher(context);
		case 'fineTuneStatusChanged':
			return fineTuneJobsWatcher(context);
		default:
			return context.getNodeParameter('watch', 'account') === 'requests'
				? listedRequestsWatcher(context)
				: requestHistoryWatcher(context);
	}
}
