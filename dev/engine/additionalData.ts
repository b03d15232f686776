import { ExecutionLifecycleHooks } from 'n8n-core/dist/execution-engine/execution-lifecycle-hooks';
import type {
	IConnections,
	ICredentialsHelper,
	INode,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** What varies in the additional data. */
interface AdditionalDataOptions {
	credentials: ICredentialsHelper;
	workflowId: string;
	nodes: INode[];
	connections?: IConnections;
	/** Undefined if no execution is running: in a poll, a webhook or a list method. */
	executionId?: string;
	mode: WorkflowExecuteMode;
	/** Receives the messages that nodes send to the editor in a manual run. */
	onMessage?: (message: string) => void;
}

const UNUSED_URL = 'http://localhost';

/** Creates the additional data that n8n passes to the engine, with the members that our nodes and the engine use. */
export function createAdditionalData({
	credentials,
	workflowId,
	nodes,
	connections = {},
	executionId,
	mode,
	onMessage,
}: AdditionalDataOptions): IWorkflowExecuteAdditionalData {
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
			for (const message of messages) onMessage?.(String(message));
		},
		restApiUrl: `${UNUSED_URL}/rest`,
		instanceBaseUrl: `${UNUSED_URL}/`,
		webhookBaseUrl: `${UNUSED_URL}/webhook`,
		webhookTestBaseUrl: `${UNUSED_URL}/webhook-test`,
		webhookWaitingBaseUrl: `${UNUSED_URL}/webhook-waiting`,
		formWaitingBaseUrl: `${UNUSED_URL}/form-waiting`,
		variables: {},
		currentNodeParameters: undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}
