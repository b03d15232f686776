/** A model's slug with a typing mistake suggests the right one. */
// cspell:ignore bananna banna bamana banaan nanobanana
import { catalogue } from '../../nodes/shared/catalogue';
import { similarSlug } from '../../nodes/shared/catalogue/similarSlug';

const SLUGS = ['gpt-5.4', 'nano-banana', 'nano-banana-pro', 'Simple_Vector_Flux'];

test.each([
	['nano-bananna', 'nano-banana'],
	['nano-banna', 'nano-banana'],
	['nano-bamana', 'nano-banana'],
	['nano-banaan', 'nano-banana'],
	['nanobanana', 'nano-banana'],
	['Nano Banana Pro', 'nano-banana-pro'],
	['simple-vector-flux', 'Simple_Vector_Flux'],
	['gpt-5.5', 'gpt-5.4'],
	['gpt-6.5', undefined],
	['nano-banana', undefined],
	['nano-ban', undefined],
	['banana-nano', undefined],
	['my-own-model', undefined],
	['', undefined],
])('%p suggests %p', (slug, expected) => {
	expect(similarSlug(slug, SLUGS)).toBe(expected);
});

test('a long slug takes little time, and no built-in slug suggests another', () => {
	const slugs = catalogue.map(({ slug }) => slug);
	expect(similarSlug('a'.repeat(200), slugs)).toBeUndefined();
	expect(slugs.filter((slug) => similarSlug(slug, slugs) !== undefined)).toEqual([]);
});
