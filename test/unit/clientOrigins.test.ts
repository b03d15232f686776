/** The client sends the key only to its credential's origins, wherever the URL comes from. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { Client } from '../../nodes/shared/service/client';

const TRUSTED = 'https://api.example.com';
const urls = {
	baseUrl: `${TRUSTED}/base`,
	uploadUrl: 'https://upload.example.com',
	endpointAdminUrl: 'https://admin.example.com',
	endpointAdminStagingUrl: '',
};
const called: string[] = [];
const context = {
	helpers: {
		httpRequestWithAuthentication: async (_credential: string, { url }: { url: string }) => {
			called.push(url);
			throw new Error('it was called');
		},
	},
} as unknown as IExecuteFunctions;
const client = new Client({ context, urls, secrets: [], credentialId: 'a' });
const call = async (url: string) =>
	await client.callOnce(
		{ method: 'GET', url, timeoutMs: 1_000 },
		{ priority: 'result', deadline: Infinity },
	);

beforeEach(() => called.splice(0));

test.each([
	'https://hostile.example.com/base',
	'http://api.example.com/base',
	'https://api.example.com:8443/base',
	'https://api.example.com.hostile.com/base',
	'https://user:password@api.example.com/base',
	'file:///etc/passwd',
	'',
])("the URL '%s' is not called", async (url) => {
	await expect(call(url)).rejects.toMatchObject({ name: 'SegmindFailure' });
	expect(called).toEqual([]);
});

test.each([`${TRUSTED}/v2/model`, `${urls.uploadUrl}/a`, `${urls.endpointAdminUrl}/b`])(
	'%s is called',
	async (url) => {
		await call(url).catch(() => undefined);
		expect(called).toEqual([url]);
	},
);
