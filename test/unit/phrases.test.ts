/** n8n's UX guidelines for the texts of errors and hints. */
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { saidTexts } from '../helpers/saidTexts';

const TEXTS = JSON.stringify([saidTexts().map(({ text }) => text), STATUSES]);

// On Error is n8n's name of a setting.
test('errors and hints avoid the words error, problem, failure and mistake', () => {
	expect(TEXTS.match(/(?<!\bOn )\b(error|problem|failure|mistake)s?\b/gi) ?? []).toEqual([]);
});
