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
import { priceRoutes } from './routes/prices';
import { storageRoutes } from './routes/storage';
import { uploadRoutes } from './routes/upload';
import { v1Routes } from './routes/v1';
import { workflowRoutes } from './routes/workflows';
import { reject } from './rejection';
import { everyPath, type Routes } from './routing';
import type { Service } from './service';
import type { OriginName } from './types';

/** Returns the routes of each origin. The first route that matches serves a call. To add a part of the service, write a file of routes and list it here. */
export function originRoutes(service: Service): Record<OriginName, Routes> {
	const admin = (endpoints: EndpointStore): Routes => ({
		...historyRoutes(service),
		...modelListRoutes(),
		...endpointRoutes(service, endpoints),
	});
	return {
		api: {
			...priceRoutes(),
			// This must come before /v1/{model}, which matches its path too.
			...creditRoutes(service),
			...inferenceRoutes(service),
			...v1Routes(service),
			...workflowRoutes(service),
			...fineTuneRoutes(service),
		},
		upload: uploadRoutes(service),
		admin: admin(service.endpoints.production),
		adminStaging: admin(service.endpoints.staging),
		files: fileRoutes(service),
		account: accountRoutes(service),
		console: everyPath('console', () => reject(404, 'Not found')),
		storage: storageRoutes(service),
		hostile: hostileRoutes(service),
	};
}
