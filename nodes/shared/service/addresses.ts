import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ServiceUrls } from './origins';

/** The addresses of Segmind (docs/service.md S1 to S6). */
export const SERVICE_URLS: ServiceUrls = {
	baseUrl: 'https://api.segmind.com',
	uploadUrl: 'https://workflows-api.segmind.com',
	endpointAdminUrl: 'https://api.spotprod.segmind.com',
	endpointAdminStagingUrl: 'https://api.spotstage.segmind.com',
};
export const ACCOUNT_URLS = {
	accountUrl: 'https://cloud.segmind.com/api',
	consoleUrl: 'https://platform.segmind.com',
};

/** The addresses of a credential: its own if Custom Addresses is on, otherwise `usual`. n8n leaves out hidden fields (docs/n8n.md N126). */
export function addressesIn<Urls extends object>(
	credential: ICredentialDataDecryptedObject,
	usual: Urls,
): Urls {
	if (credential.customAddresses !== true) return usual;
	return Object.fromEntries(
		Object.keys(usual).map((name) => [name, String(credential[name] ?? '').trim()]),
	) as Urls;
}
