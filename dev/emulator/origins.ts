import type { RequestHandler } from 'express';
import { refuse, refuseUnknownPath } from './refusal';
import { accountRoutes } from './routes/account';
import { creditRoutes } from './routes/credits';
import type { EndpointStore } from './endpoints';
import { endpointRoutes } from './routes/endpoints';
import { fileRoutes } from './routes/files';
import { fineTuneRoutes } from './routes/fineTunes';
import { historyRoutes } from './routes/history';
import { hostileRoutes } from './routes/hostile';
import { inferenceRoutes } from './routes/inference';
import { modelListRoutes } from './routes/modelList';
import { storageRoutes } from './routes/storage';
import { uploadRoutes } from './routes/upload';
import { v1Routes } from './routes/v1';
import { workflowRoutes } from './routes/workflows';
import type { Service } from './service';
import type { OriginName } from './types';

/** What each origin serves, in this order; the last has the last word. A new part of the service is one file of routes and its line here. */
export function originRoutes(service: Service): Record<OriginName, RequestHandler[]> {
	const unknown: RequestHandler = () => refuse(404, 'Not found');
	const admin = (endpoints: EndpointStore): RequestHandler[] => [
		historyRoutes(service),
		modelListRoutes(),
		endpointRoutes(service, endpoints),
		unknown,
	];
	return {
		api: [
			// A path of its own, before /v1/{model} sees it.
			creditRoutes(service),
			inferenceRoutes(service),
			v1Routes(service),
			workflowRoutes(service),
			fineTuneRoutes(service),
			refuseUnknownPath,
		],
		upload: [uploadRoutes(service), unknown],
		admin: admin(service.endpoints.production),
		adminStaging: admin(service.endpoints.staging),
		files: [fileRoutes(service), unknown],
		account: [accountRoutes(service), unknown],
		console: [unknown],
		storage: [storageRoutes(service), unknown],
		hostile: [hostileRoutes(service)],
	};
}
