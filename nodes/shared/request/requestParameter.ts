import type { Session } from '../run/session';
import { parseRequest, type RequestRef } from './requestRef';

/** The parameter `request` of an item. @throws SegmindFailure before any call when it is none */
export function readRequest(session: Session, itemIndex: number): RequestRef {
	return parseRequest(session.context.getNodeParameter('request', itemIndex), session.urls.baseUrl);
}
