import { ExecutionLifecycleHooks } from 'n8n-core/dist/execution-engine/execution-lifecycle-hooks';
import type {
	IConnections,
	ICredentialsHelper,
	INode,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** What the engine wants to know from the n8n around it. */
export interface Surroundings {
	credentials: ICredentialsHelper;
	workflowId: string;
	nodes: INode[];
	connections?: IConnections;
	/** None while nothing is being executed: a poll, a webhook, a list method. */
	executionId?: string;
	mode: WorkflowExecuteMode;
	/** Gets what nodes tell the person who watches a manual run. */
	told?: (message: string) => void;
}

const NOWHERE = 'http://localhost';

/** n8n's own object for it, with the members that nodes and engine use. */
export function additionalData({
	credentials,
	workflowId,
	nodes,
	connections = {},
	executionId,
	mode,
	told,
}: Surroundings): IWorkflowExecuteAdditionalData {
	const hooks = new ExecutionLifecycleHooks(mode, executionId ?? '', {
		id: workflowId,
		name: workflowId,
		nodes,
		connections,
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
	});
	return {
		executionId,
		hooks,
		credentialsHelper: credentials,
		sendDataToUI: (_type: string, { messages = [] }: { messages?: unknown[] }) => {
			for (const message of messages) told?.(String(message));
		},
		restApiUrl: `${NOWHERE}/rest`,
		instanceBaseUrl: `${NOWHERE}/`,
		webhookBaseUrl: `${NOWHERE}/webhook`,
		webhookTestBaseUrl: `${NOWHERE}/webhook-test`,
		webhookWaitingBaseUrl: `${NOWHERE}/webhook-waiting`,
		formWaitingBaseUrl: `${NOWHERE}/form-waiting`,
		variables: {},
		currentNodeParameters: undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}
