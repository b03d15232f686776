import type { Request } from 'express';
import { mediaType } from '../body';
import { receivedCallOf } from '../receivedCalls';
import { Rejection } from '../rejection';
import { guardRoutes, hasSecret, ofKind, type Handler, type Routes } from '../routing';
import type { Service } from '../service';

// The storage service responds with its own XML errors.
function rejectXml(status: number, code: string): never {
	const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`;
	throw new Rejection(status, body, { 'content-type': 'application/xml' });
}

/** Presigned uploads and downloads. This origin accepts signatures and rejects keys (docs/service.md S344, S346). */
export function storageRoutes({ storage, urls }: Service): Routes {
	/** Returns what the signature of the URL allows. @throws Rejection with 403 if it allows nothing */
	const requireSignature = (method: 'GET' | 'PUT', request: Request): { public: boolean } => {
		const query = new URL(request.originalUrl, urls.storage).searchParams;
		const permission = storage.check(method, request.path, query);
		return typeof permission === 'string' ? rejectXml(403, permission) : permission;
	};
	const put: Handler = (request, response) => {
		const { call, raw } = receivedCallOf(request);
		const { public: isPublic } = requireSignature('PUT', request);
		// Uploads to presigned URLs need a content length; chunked ones are rejected.
		if (call.headers['content-length'] === undefined) rejectXml(411, 'MissingContentLength');
		if (mediaType(request) !== 'application/zip') rejectXml(403, 'SignatureDoesNotMatch');
		if ((call.headers['x-amz-acl'] === 'public-read') !== isPublic) rejectXml(403, 'AccessDenied');
		storage.put(request.path, raw, isPublic);
		response.status(200).end();
	};
	const get: Handler = (request, response) => {
		const object = storage.get(request.path);
		if (!object?.public) requireSignature('GET', request);
		if (!object) rejectXml(404, 'NoSuchKey');
		response.setHeader('content-type', 'application/octet-stream');
		response.setHeader('content-length', object.bytes.length);
		response.end(request.method === 'HEAD' ? undefined : object.bytes);
	};
	const handlers = { PUT: put, GET: get, HEAD: get };
	const routes = ofKind('storage', { '/datasets/*path': handlers, '/weights/*path': handlers });
	return guardRoutes(routes, (request) => {
		if (hasSecret(request)) rejectXml(403, 'AccessDenied');
	});
}
