import { Router, type Response } from 'express';
import { mediaType } from '../body';
import { receivedWith } from '../origin';
import { Refusal } from '../refusal';
import { methods, type Handler } from '../routing';
import type { Service } from '../service';

// The storage service answers in XML of its own.
function refuseXml(status: number, code: string): never {
	const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`;
	throw new Refusal(status, body, { 'content-type': 'application/xml' });
}

/** Presigned uploads and downloads: an origin that takes signatures and refuses keys (docs/service.md S344, S346). */
export function storageRoutes(service: Service): Router {
	const router = Router({ caseSensitive: true });

	const refuseSecrets = (headers: Record<string, string>): void => {
		if (headers['x-api-key'] !== undefined || headers.authorization !== undefined)
			refuseXml(403, 'AccessDenied');
	};

	const put: Handler = (request, response) => {
		const { call, raw } = receivedWith(request);
		refuseSecrets(call.headers);
		const query = new URL(request.originalUrl, service.urls.storage).searchParams;
		const allowed = service.storage.check('PUT', request.path, query);
		if (typeof allowed === 'string') refuseXml(403, allowed);
		// Such uploads must tell their length beforehand; chunked ones are not taken.
		if (call.headers['content-length'] === undefined) refuseXml(411, 'MissingContentLength');
		if (mediaType(request) !== 'application/zip') refuseXml(403, 'SignatureDoesNotMatch');
		if ((call.headers['x-amz-acl'] === 'public-read') !== allowed.public)
			refuseXml(403, 'AccessDenied');
		service.storage.put(request.path, raw, allowed.public);
		response.status(200).end();
	};

	const get: Handler = (request, response: Response) => {
		const { call } = receivedWith(request);
		refuseSecrets(call.headers);
		const object = service.storage.get(request.path);
		const query = new URL(request.originalUrl, service.urls.storage).searchParams;
		if (!object?.public) {
			const allowed = service.storage.check('GET', request.path, query);
			if (typeof allowed === 'string') refuseXml(403, allowed);
		}
		if (!object) refuseXml(404, 'NoSuchKey');
		response.setHeader('content-type', 'application/octet-stream');
		response.setHeader('content-length', object.bytes.length);
		response.end(request.method === 'HEAD' ? undefined : object.bytes);
	};

	router.all(/^\/(datasets|weights)\//, methods({ PUT: put, GET: get, HEAD: get }));
	return router;
}
