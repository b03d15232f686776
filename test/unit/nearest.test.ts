import { catalogue } from '../../nodes/shared/catalogue';
import { isOneTypoAway, findNearestSlugs } from '../../nodes/shared/catalogue/nearest';

const SLUGS = catalogue.map(({ slug }) => slug);

it.each([
	['nano banana', 'nano-banana'],
	['Nano-Banana-Pro', 'nano-banana-pro'],
	['nano-bannana', 'nano-banana'],
	['kling-26', 'kling-2.6'],
	['seedream', 'seedream-4.5'],
	['my-private-endpoint', undefined],
	['', undefined],
	['…', undefined],
])('nearest to the slug %s is %s', (slug, nearest) => {
	expect(findNearestSlugs(slug, SLUGS)[0]).toBe(nearest);
});

it('returns at most three slugs, never the slug itself, and handles long slugs', () => {
	expect(findNearestSlugs('gpt-5', SLUGS)).toHaveLength(3);
	// The service may reject a slug that the list has.
	expect(findNearestSlugs('nano-banana', SLUGS)).not.toContain('nano-banana');
	expect(findNearestSlugs('a'.repeat(100_000), ['b'.repeat(100_000)])).toEqual([]);
});

it.each([
	['upscale', 'upscle', true],
	['upscale', 'upsscale', true],
	['upscale', 'upscole', true],
	['upscale', 'upsclae', true],
	['upscale', 'upsca', false],
	['upscale', 'pusclae', false],
	['face', 'fact2', false],
	['voice', 'video', false],
])('%s and %s are one letter apart: %p', (one, other, isOne) => {
	expect([isOneTypoAway(one, other), isOneTypoAway(other, one)]).toEqual([isOne, isOne]);
});
