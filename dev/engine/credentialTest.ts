import './environment';

import { ExecuteContext, RoutingNode } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeType,
} from 'n8n-workflow';

import { CredentialStore } from './credentialStore';
import { nodeOf } from './node';
import { createTriggerWorkflow } from './triggerWorkflow';
import { runDataFor } from './version';

/** What a credential's Test button shows, and how long n8n would have waited for the response (ms). */
interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
	timeoutMs?: number;
}

/** Notes the timeout of the call, as it goes out. */
class ObservedCredentials extends CredentialStore {
	timeoutMs?: number;

	override async authenticate(
		...args: [ICredentialDataDecryptedObject, string, IHttpRequestOptions]
	): Promise<IHttpRequestOptions> {
		const options = await super.authenticate(...args);
		this.timeoutMs = options.timeout;
		return options;
	}
}

/** Tests a credential with n8n's engine for declarative calls, and applies the rules of its test, like n8n's CredentialsTester. */
export async function testCredential(
	credentialType: ICredentialType,
	stored: ICredentialDataDecryptedObject,
): Promise<CredentialTestResult> {
	const { name, test } = credentialType as ICredentialType & { test: ICredentialTestRequest };
	const credentials = new ObservedCredentials([credentialType], { [name]: stored });
	const request = test.request;
	const nodeType = {
		description: {
			name: 'test',
			version: 1,
			credentials: [{ name, required: true }],
			properties: [
				{ displayName: 'Test', name: 'test', type: 'string', default: '', routing: { request } },
			],
		},
	} as unknown as INodeType;
	const node = nodeOf({ parameters: {} }, nodeType);
	const mode = 'internal' as const;
	const setup = { workflowId: 'test', nodeType, node, credentials, mode };
	const { workflow, additionalData } = createTriggerWorkflow(setup);
	const input = [{ json: {} }];
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		mode,
		runDataFor(node, input),
		0,
		[],
		{ main: [input] },
		{ node, data: {}, source: null },
		[],
	);
	const data = await credentials.getDecrypted(undefined, undefined, name);
	const decrypted = { id: 'credential1', name, type: name, data };
	const outcome = await new RoutingNode(context, nodeType, decrypted).runNode().then(
		(output) => ({ json: output?.[0]?.[0]?.json as unknown }),
		(error: Error) => ({ error }),
	);
	return { ...judge(test.rules ?? [], outcome), timeoutMs: credentials.timeoutMs };
}

type Outcome = { json: unknown } | { error: Error };

function judge(
	rules: NonNullable<ICredentialTestRequest['rules']>,
	outcome: Outcome,
): Pick<CredentialTestResult, 'status' | 'message'> {
	const failedRule = rules.find(({ type, properties }) =>
		'error' in outcome
			? type === 'responseCode' && properties.value === statusOf(outcome.error)
			: type === 'responseSuccessBody' &&
				(outcome.json as Record<string, unknown>)[properties.key] === properties.value,
	);
	if (failedRule) return { status: 'Error', message: failedRule.properties.message };
	if ('error' in outcome) return { status: 'Error', message: outcome.error.message };
	return { status: 'OK', message: '' };
}

/** Returns the HTTP status of an error's response. */
function statusOf({ cause }: Error): number | undefined {
	return (cause as { response?: { status: number } } | undefined)?.response?.status;
}
