import type { IWebhookFunctions } from 'n8n-workflow';

/** Tells this node from every other one of this n8n. */
export function scopeOf(context: IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}|${context.getNode().id}`;
}
