import type { RequestHandler } from 'express';
import type { OriginParts } from './origin';
import { refuse, refuseUnrouted } from './refusal';
import { accountRoutes } from './routes/account';
import { controlRoutes } from './routes/control';
import { creditRoutes } from './routes/credits';
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
import type { EndpointStore, OriginName } from './types';

const notFound: RequestHandler = () => refuse(404, 'Not found');

/** Which routes each origin serves. A new part of the service is one file of routes and its line here. */
export function originParts(service: Service): Record<OriginName, OriginParts> {
	const plain = (...routes: RequestHandler[]): OriginParts => ({ routes, unrouted: notFound });
	const admin = (endpoints: EndpointStore): RequestHandler[] => [
		historyRoutes(service),
		modelListRoutes(),
		endpointRoutes(service, endpoints),
	];
	return {
		// Order matters: /v1/get-user-credits is a path of its own before /v1/{model} sees it.
		api: {
			control: controlRoutes(service),
			routes: [
				creditRoutes(service),
				inferenceRoutes(service),
				v1Routes(service),
				workflowRoutes(service),
				fineTuneRoutes(service),
			],
			unrouted: refuseUnrouted,
		},
		upload: plain(uploadRoutes(service)),
		admin: plain(...admin(service.endpoints.production)),
		adminStaging: plain(...admin(service.endpoints.staging)),
		files: plain(fileRoutes(service)),
		account: plain(accountRoutes(service)),
		console: plain(),
		storage: plain(storageRoutes(service)),
		hostile: plain(hostileRoutes(service)),
	};
}
