import type { ElsewhereRequest } from './jobs';
import { findModel } from './models';
import type { Service } from './service';
import { findWorkflow } from './workflows';

/** Adds a request that another process or person made on the same account. Returns its ID. @throws Error for an unknown slug */
export function submitElsewhere(service: Service, request: ElsewhereRequest): string {
	const { slug, input, via = 'v2' } = request;
	const model = findModel(slug);
	const workflow = findWorkflow(slug);
	if (!model && !workflow) throw new Error(`There is no model or workflow "${slug}".`);
	const job = model
		? { via, slug, model, input }
		: { via: 'workflow' as const, slug, workflow, input };
	return service.jobs.submitElsewhere(job, request).requestId;
}
