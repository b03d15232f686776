import { receivedCallOf } from '../receivedCalls';
import { reject } from '../rejection';
import { hasSecret, ofKind, type Handler, type Routes } from '../routing';
import { sendFile } from '../sendFile';
import type { Service } from '../service';

/** Serves result files and assets at public URLs. Any call with a secret is rejected, so that a test notices it. */
export function fileRoutes(service: Service): Routes {
	const serve: Handler = async (request, response) => {
		const { call } = receivedCallOf(request);
		if (hasSecret(request)) reject(403, 'Files are public: do not send credentials here.');
		const file = service.files.find(request.path);
		if (!file) reject(404, 'File not found');
		if (file.requestId !== undefined) {
			call.requestId = file.requestId;
			const job = service.jobs.find(file.requestId);
			if (job && request.method === 'GET') job.downloads += 1;
		}
		await sendFile(file, request, response);
	};
	const handlers = { GET: serve, HEAD: serve };
	return ofKind('file', {
		'/generations/*path': handlers,
		'/outputs/*path': handlers,
		'/assets/*path': handlers,
	});
}
