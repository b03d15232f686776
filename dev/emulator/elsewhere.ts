import { findModel } from './models';
import type { Service } from './service';
import { findWorkflow } from './workflows';

/** A request that another process or person makes on the same account: it has no call, no charge and no entry among `jobs`. */
export interface ElsewhereRequest {
	/** Slug of a model or of a published workflow. */
	slug: string;
	/** Ignored for workflows. Default v2. */
	via?: 'v2' | 'v1';
	/** Equal to another request's body, or with more members. */
	input: Record<string, unknown>;
	/** By the service's clock; nobody knows the request before. Default now. */
	submittedAt?: number;
	/** From submission to the end. Default queueMs + jobMs. */
	durationMs?: number;
	/** How long after its submission it appears in the history. Default 0. */
	lateMs?: number;
	/** Why it fails. Default: it completes. */
	failure?: string;
	/** E-mail address of another user of the team: in the history's list, but not found by its id. Default: the account's own. */
	user?: string;
}

/** Puts a request of another process or person into the account. Gives its id. @throws Error for an unknown slug */
export function submitElsewhere(service: Service, request: ElsewhereRequest): string {
	const { slug, input, via = 'v2' } = request;
	const model = findModel(slug);
	const workflow = findWorkflow(slug);
	if (!model && !workflow) throw new Error(`There is no model or workflow "${slug}".`);
	const order = model
		? { via, slug, model, input }
		: { via: 'workflow' as const, slug, workflow, input };
	return service.jobs.submitElsewhere(order, request).requestId;
}
