/** The slug in text that a person types or pastes. */
import { isSameModel, slugIn } from '../../nodes/shared/catalogue/slug';

test.each([
	['nano-banana', 'nano-banana'],
	[' gpt-5.4 ', 'gpt-5.4'],
	['https://www.segmind.com/models/nano-banana', 'nano-banana'],
	['https://www.segmind.com/models/Simple_Vector_Flux/api?tab=js#top', 'Simple_Vector_Flux'],
	['http://segmind.com/models/gpt-5.4/', 'gpt-5.4'],
	['HTTPS://Cloud.Segmind.com/models/esrgan', 'esrgan'],
	['www.segmind.com/models/sdxl1.0-txt2img', 'sdxl1.0-txt2img'],
	['https://www.segmind.com/models/a%20b', 'a b'],
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
