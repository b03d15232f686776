/**
 * The errors of inputs that the user can correct. They are thrown before anything is sent, and name the parameter. Values replace the names in
 * braces; the description ends with `NOTHING_SENT`.
 */

import type { ErrorRow } from './errorTable';

export const INPUTS = {
	empty: { what: '{label} is empty', todo: '{todo}' },
	wrong: {
		what: '{label} is {value}, but must be {wanted}',
		todo: 'Correct the value in the node, or the expression that returns it.',
	},
	notEvaluated: {
		what: "{label} contains the text of an expression: '{value}'",
		todo: 'Switch the field from Fixed to Expression, so that n8n evaluates it.',
	},
	undefinedPart: {
		what: '{label} contains {expression}, which is {fault} for this item',
		todo: "Correct the expression. To read a field of an earlier node, drag it from that node in the input panel: n8n then inserts an expression such as $('Node Name').item.json.field. If the value is optional, give it a default, as in {{ $json.field ?? '' }}.",
	},
	notJson: {
		what: '{label} is not valid JSON: {why}',
		todo: 'Check the quotes, commas and brackets. Text needs quotes: "text". An expression inside JSON is safe without quotes, as {{ JSON.stringify($json.text) }}.',
	},
	/** Slugs, IDs and names of parameters. */
	notAName: {
		what: "{label} '{value}' is not a valid name",
		todo: "Use the name as Segmind shows it, which is the last part of its page's URL, for example {example}.",
	},
	notAFile: {
		what: "{label} is '{value}', which is neither a valid URL nor a data URL nor a binary field of the item",
		todo: '{existing} Enter the name of a binary field, or a URL that begins with https:// and has %20 instead of each space. In a URL, write %2C instead of a comma.',
	},
	rawBase64: {
		what: '{label} is base64 without the type of its file',
		todo: 'Put {prefix} before it, with the type of the file, which makes it a data URL.',
	},
	/** Of a task that changes a file or reads it. */
	noFile: {
		what: "No {word} was entered, and the node couldn't choose one of the item's own {word}s ({files})",
		todo: 'Enter a URL or the name of a binary field in a field marked "(file)"{fields}. If the form has none, add the parameter under Options > Additional Parameters, with the type File. To send only the prompt, use Any Model: Run.',
	},
	wrongJob: { what: "'{member}' in Job (JSON) is wrong: {why}", todo: 'Correct it in Job (JSON).' },
	/** The parameter Request, and the trigger's list of requests. */
	notARequest: {
		what: 'Request {problem}',
		todo: 'Enter a request ID, one of the URLs that Segmind returned, or the whole item of a request as {{ $json }}.',
	},
} as const satisfies Record<string, ErrorRow>;
