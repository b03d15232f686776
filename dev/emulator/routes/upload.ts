import { reject } from '../rejection';
import { readJsonObject, guardWithKey, type Routes } from '../routing';
import type { Service } from '../service';

const requiredAccept = 'application/json, text/plain, */*';

/** POST /upload-asset (docs/service.md S170). It returns the URLs in the order of the request. */
export function uploadRoutes(service: Service): Routes {
	return guardWithKey(service, {
		'/upload-asset': {
			kind: 'upload',
			POST(request, response) {
				if (request.headers.accept !== requiredAccept)
					reject(406, `The accept header must be "${requiredAccept}".`);
				const { data_urls: dataUrls } = readJsonObject(request);
				if (!Array.isArray(dataUrls) || dataUrls.length === 0)
					reject(400, 'data_urls must be a list of data URLs.');
				const urls = dataUrls
					.map(decodeDataUrl)
					.map(({ content, contentType }) => service.files.addAsset(content, contentType).url);
				response.json(
					service.orders.uploadResponse === 'urls'
						? { urls }
						: { file_urls: urls, message: 'Files uploaded successfully' },
				);
			},
		},
	});
}

function decodeDataUrl(dataUrl: unknown, index: number): { content: Buffer; contentType: string } {
	const invalid = (why: string): never =>
		reject(400, `data_urls[${index}] is not a valid data URL: ${why}.`);
	if (typeof dataUrl !== 'string') return invalid('it is not text');
	const comma = dataUrl.indexOf(',');
	// One regular expression for the whole head would need a repeated group, which fails on a head of several megabytes.
	const [type, ...parameters] = dataUrl.slice(0, Math.max(0, comma)).split(';');
	if (!/^data:[\w.+-]+\/[\w.+-]+$/.test(type) || parameters.at(-1) !== 'base64')
		return invalid('it must begin with data:<mime-type>;base64,');
	const length = dataUrl.length - comma - 1;
	if (length === 0) return invalid('it is empty');
	const content = Buffer.from(dataUrl.slice(comma + 1), 'base64');
	// Node skips characters that aren't base64, so a wrong character shows as a missing byte.
	const paddingChars = dataUrl.endsWith('==') ? 2 : dataUrl.endsWith('=') ? 1 : 0;
	if (length % 4 !== 0 || content.length !== (length / 4) * 3 - paddingChars)
		return invalid('its base64 is broken');
	return { content, contentType: type.slice('data:'.length).toLowerCase() };
}
