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
])('the slug nearest to %p is %p', (slug, nearest) => {
	expect(findNearestSlugs(slug, SLUGS)[0]).toBe(nearest);
});

it('returns at most three slugs, never the slug itself, and handles long slugs', () => {
	expect(findNearestSlugs('gpt-5', SLUGS)).toHaveLength(3);
	// A slug from the list may be the one that the service rejected.
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
])('%s and %s are one typo apart: %p', (one, other, expected) => {
	expect([isOneTypoAway(one, other), isOneTypoAway(other, one)]).toEqual([expected, expected]);
});
