import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ServiceUrls } from './origins';

/** The default addresses of a Segmind API credential (docs/service.md S1 to S4). */
export const SERVICE_URLS: ServiceUrls = {
	baseUrl: 'https://api.segmind.com',
	uploadUrl: 'https://workflows-api.segmind.com',
	endpointAdminUrl: 'https://api.spotprod.segmind.com',
	endpointAdminStagingUrl: 'https://api.spotstage.segmind.com',
};

/** The default addresses of a Segmind Session API credential (docs/service.md S5, S6). */
export const ACCOUNT_URLS = {
	accountUrl: 'https://cloud.segmind.com/api',
	consoleUrl: 'https://platform.segmind.com',
};

/** Returns a credential's addresses if Custom Addresses is on. Otherwise returns `defaults`, because n8n leaves out hidden fields (docs/n8n.md N126). */
export function addressesIn<Urls extends object>(
	credential: ICredentialDataDecryptedObject,
	defaults: Urls,
): Urls {
	if (credential.customAddresses !== true) return defaults;
	return Object.fromEntries(
		Object.keys(defaults).map((name) => [name, String(credential[name] ?? '').trim()]),
	) as Urls;
}
