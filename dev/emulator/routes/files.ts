import type { Router } from 'express';
import { receivedWith } from '../origin';
import { refuse } from '../refusal';
import { routerOf, showsSecret, type Handler } from '../routing';
import { sendFile } from '../sendFile';
import type { Service } from '../service';

/** Result files and assets: public URLs that reject any call with a secret, which proves that none is sent. */
export function fileRoutes(service: Service): Router {
	const serve: Handler = async (request, response) => {
		const { call } = receivedWith(request);
		if (showsSecret(request)) refuse(403, 'Files are public: do not send credentials here.');
		const file = service.files.find(request.path);
		if (!file || service.now() - file.createdAt >= service.orders.fileMs)
			refuse(404, 'File not found');
		if (file.requestId !== undefined) {
			call.requestId = file.requestId;
			const job = service.jobs.find(file.requestId);
			if (job && request.method === 'GET') job.downloads += 1;
		}
		await sendFile(file, request, response, file.contentType);
	};
	const served = { GET: serve, HEAD: serve };
	return routerOf({
		'/generations/*path': served,
		'/outputs/*path': served,
		'/assets/*path': served,
	});
}
