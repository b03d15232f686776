/** n8n's UX guidelines for the texts of errors and hints. */
import { HINTS } from '../../nodes/shared/errors/hintTable';
import * as parts from '../../nodes/shared/errors/parts';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { saidTexts } from '../helpers/saidTexts';

const TEXTS = JSON.stringify([saidTexts().map(({ text }) => text), STATUSES, HINTS, parts]);

// A word in braces is the name of a value, and On Error is n8n's name of a setting.
test('errors and hints avoid the words error, problem, failure and mistake', () => {
	expect(TEXTS.match(/(?<!\{|\bOn )\b(error|problem|failure|mistake)s?\b/gi) ?? []).toEqual([]);
});
