/** The slug in text that a person types or pastes. */
import { isSameModel, slugIn, workflowIn, workflowRootIn } from '../../nodes/shared/catalogue/slug';

test.each([
	['nano-banana', 'nano-banana'],
	[' gpt-5.4 ', 'gpt-5.4'],
	['https://www.segmind.com/models/nano-banana', 'nano-banana'],
	['https://www.segmind.com/models/Simple_Vector_Flux/api?tab=js#top', 'Simple_Vector_Flux'],
	['http://segmind.com/models/gpt-5.4/', 'gpt-5.4'],
	['HTTPS://Cloud.Segmind.com/models/esrgan', 'esrgan'],
	['www.segmind.com/models/sdxl1.0-txt2img', 'sdxl1.0-txt2img'],
	['https://www.segmind.com/models/a%20b', 'a b'],
	['https://api.segmind.com/v1/nano-banana', 'nano-banana'],
	['https://api.segmind.com/v2/flux-2-pro/', 'flux-2-pro'],
	['https://api.segmind.com/v1/models/faceswap-v2', 'faceswap-v2'],
	['api-latest.segmind.com/v2/gpt-5.4?x=1', 'gpt-5.4'],
	['/v2/gpt-5.4', 'gpt-5.4'],
])('%p contains the slug %p', (text, slug) => {
	expect(slugIn(text)).toBe(slug);
});

test.each([
	'',
	'https://www.segmind.com/pixelflows/product-photo',
	'https://www.segmind.com/models/',
	'https://www.segmind.com/models/%E0%A4%A',
	'https://evil.com/segmind.com/models/esrgan',
	'https://segmind.com@evil.com/models/esrgan',
	'https://notsegmind.com/models/esrgan',
	'https://segmind.com.evil.com/models/esrgan',
	'https://segmind.com:8080/models/esrgan',
	'https://evil.com?x=https://segmind.com/models/esrgan',
	'https://evil.com/v2/esrgan',
	'https://api.segmind.com/v2/requests/83ac1f/status',
	'https://api.segmind.com/workflows/v2/product-photo',
	'v2/esrgan',
	'//evil.com/v2/esrgan',
	'/v2/requests/83ac1f',
	'javascript://segmind.com/models/esrgan',
	'={{ $json.model }}',
	'a/'.repeat(50_000),
])('%p contains no slug, and is returned unchanged', (text) => {
	expect(slugIn(text)).toBe(text);
});

test.each([
	['Nano Banana', 'nano_banana', true],
	['nano-banana', 'nano-banana-pro', false],
	['gpt-5.4', 'gpt-54', false],
])('%s and %s are the same model: %p', (one, other, same) => {
	expect(isSameModel(one, other)).toBe(same);
});

const ID = '69b7a526e90fc09c1a796167-v13';

test.each([
	'https://evil.com/workflows/v2/product-photo',
	'https://segmind.com@evil.com/pixelflows/product-photo',
	'https://api.segmind.com/workflows/request/83ac1f',
	'https://api.segmind.com/v2/nano-banana',
])('%p names no workflow, and is returned unchanged', (text) => {
	expect(workflowIn(text)).toBe(text);
});

test.each([
	[`https://evil.com/workflows/v2/${ID}`, '/workflows/v2'],
	['product-photo-v2', '/workflows/v2'],
	['69b7a526e90fc09c1a796167', '/workflows/v2'],
])('%p runs below %p', (text, root) => {
	expect(workflowRootIn(text)).toBe(root);
});

test.each([
	['http://127.0.0.1:8787/v2/esrgan', 'http://127.0.0.1:8787', 'esrgan'],
	['HTTPS://Proxy.Example/segmind/v1/esrgan', 'https://proxy.example/segmind/', 'esrgan'],
	['http://127.0.0.1:8787/v2/esrgan', 'http://127.0.0.1:1', 'http://127.0.0.1:8787/v2/esrgan'],
	['https://proxy.example/v2/esrgan', 'https://proxy.example/a', 'https://proxy.example/v2/esrgan'],
	['https://evil.example/v2/esrgan', '', 'https://evil.example/v2/esrgan'],
])("%p for a credential's address %p is the slug %p", (text, address, slug) => {
	expect(slugIn(text, address)).toBe(slug);
});
