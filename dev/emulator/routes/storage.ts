import type { Request, Router } from 'express';
import { mediaType } from '../body';
import { receivedWith } from '../origin';
import { Refusal } from '../refusal';
import { guarded, routerOf, showsSecret, type Handler } from '../routing';
import type { Service } from '../service';

// The storage service responds with XML of its own.
function refuseXml(status: number, code: string): never {
	const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`;
	throw new Refusal(status, body, { 'content-type': 'application/xml' });
}

/** Presigned uploads and downloads: an origin that accepts signatures and rejects keys (docs/service.md S344, S346). */
export function storageRoutes({ storage, urls }: Service): Router {
	/** What the signature allows. */
	const allowed = (method: 'GET' | 'PUT', request: Request): { public: boolean } => {
		const query = new URL(request.originalUrl, urls.storage).searchParams;
		const found = storage.check(method, request.path, query);
		return typeof found === 'string' ? refuseXml(403, found) : found;
	};
	const put: Handler = (request, response) => {
		const { call, raw } = receivedWith(request);
		const { public: isPublic } = allowed('PUT', request);
		// Such uploads must tell their length beforehand; chunked ones are not taken.
		if (call.headers['content-length'] === undefined) refuseXml(411, 'MissingContentLength');
		if (mediaType(request) !== 'application/zip') refuseXml(403, 'SignatureDoesNotMatch');
		if ((call.headers['x-amz-acl'] === 'public-read') !== isPublic) refuseXml(403, 'AccessDenied');
		storage.put(request.path, raw, isPublic);
		response.status(200).end();
	};
	const get: Handler = (request, response) => {
		const object = storage.get(request.path);
		if (!object?.public) allowed('GET', request);
		if (!object) refuseXml(404, 'NoSuchKey');
		response.setHeader('content-type', 'application/octet-stream');
		response.setHeader('content-length', object.bytes.length);
		response.end(request.method === 'HEAD' ? undefined : object.bytes);
	};
	const served = { PUT: put, GET: get, HEAD: get };
	const routes = { '/datasets/*path': served, '/weights/*path': served };
	return routerOf(
		guarded(routes, (request) => {
			if (showsSecret(request)) refuseXml(403, 'AccessDenied');
		}),
	);
}
