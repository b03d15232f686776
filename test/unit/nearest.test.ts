import { catalogue } from '../../nodes/shared/catalogue';
import { isOneTypoAway, nearestSlugs } from '../../nodes/shared/catalogue/nearest';

const SLUGS = catalogue.map(({ slug }) => slug);

describe('nearestSlugs', () => {
	it.each([
		['nano banana', 'nano-banana'],
		['Nano-Banana-Pro', 'nano-banana-pro'],
		['nano-bannana', 'nano-banana'],
		['kling-26', 'kling-2.6'],
		['claude-4-5-sonnet', 'claude-4.5-sonnet'],
		['seedream', 'seedream-4.5'],
	])('%s: %s first', (slug, nearest) => {
		expect(nearestSlugs(slug, SLUGS)[0]).toBe(nearest);
	});

	it('names three at most, and none for what is like none', () => {
		expect(nearestSlugs('gpt-5', SLUGS)).toHaveLength(3);
		expect(nearestSlugs('my-private-endpoint', SLUGS)).toEqual([]);
		expect(nearestSlugs('', SLUGS)).toEqual([]);
		expect(nearestSlugs('…', SLUGS)).toEqual([]);
	});

	it('does not name the slug itself: a listed model may be unknown where it is asked for', () => {
		expect(nearestSlugs('nano-banana', SLUGS)).not.toContain('nano-banana');
	});

	it('takes long slugs', () => {
		expect(nearestSlugs('a'.repeat(100_000), ['b'.repeat(100_000)])).toEqual([]);
	});
});

describe('isOneTypoAway', () => {
	it.each([
		['upscale', 'upscle'],
		['upscale', 'upsscale'],
		['upscale', 'upscole'],
		['upscale', 'upsclae'],
		['upscale', 'upscal'],
		['upscale', 'upscale'],
	])('%s and %s', (one, other) => {
		expect([isOneTypoAway(one, other), isOneTypoAway(other, one)]).toEqual([true, true]);
	});

	it.each([
		['upscale', 'upsca'],
		['upscale', 'pusclae'],
		['face', 'fact2'],
		['voice', 'video'],
	])('not %s and %s', (one, other) => {
		expect([isOneTypoAway(one, other), isOneTypoAway(other, one)]).toEqual([false, false]);
	});
});
