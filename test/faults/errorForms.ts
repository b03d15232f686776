/** Every form an error of an action node can take. A text that has none of them is a fault of its own: nobody wrote it for a person. */
interface ErrorForm {
	form: RegExp;
	/** Has the form, and holds the words by which docs/errors.md names the error, if it does. */
	example: string;
}

/** An id is what the service, or a person, says it is. */
const ID = '[^\\n]{1,200}?';
/** The service's own words after a colon: any text in one line. */
const REASON = '(: [^\\n]*)?';
const form = (pattern: string, example: string): ErrorForm => ({
	form: new RegExp(`^${pattern}$`, 'su'),
	example,
});

/** What an answer with a refusing status says; before it stands what was called. */
const STATUSES = [
	'the service answered with a redirect (HTTP 307), which was not followed because the API key would be sent along',
	'the request was refused as malformed (HTTP 400)',
	'the values were refused (HTTP 400)',
	'the API key was not accepted (HTTP 401)',
	'the balance is used up (HTTP 402)',
	'this key may not use it (HTTP 403)',
	'the service does not know it (HTTP 404)',
	'no such name (HTTP 404)',
	'nothing found (HTTP 404)',
	'the account has no credit record (HTTP 404)',
	'it was not found (HTTP 404)',
	'the address does not take this method (HTTP 405)',
	'the content type was not accepted (HTTP 406)',
	'a spend limit of the team is reached (HTTP 406)',
	'there are not enough credits (HTTP 406)',
	'a parameter was not accepted (HTTP 406)',
	'the service gave up waiting (HTTP 408)',
	'the model has been retired (HTTP 410)',
	'the service no longer takes this call (HTTP 410)',
	'the data sent is too large (HTTP 413)',
	'the inputs were refused (HTTP 422)',
	'the rate limit was still exhausted when the time was up (HTTP 429)',
	'the service failed (HTTP 500)',
	'the service could not be reached behind its gateway (HTTP 502)',
	'the service was still unavailable when the time was up (HTTP 503)',
	'the service did not answer its gateway in time (HTTP 504)',
	'unexpected answer (HTTP 418)',
].map((what) => {
	const anyStatus = escaped(what).replace(/307|500|418/, '\\d{3}');
	return form(
		`[^\\n]+: ${anyStatus}( \\(request ${ID}\\))?${REASON}`,
		`Model 'x': ${what}: because`,
	);
});

/** What became of a request. */
const REQUESTS = [
	form(`Request ${ID} failed: [^\\n]+`, 'Request 4f0c failed: the prompt was blocked'),
	form(
		`Request ${ID} was still [^\\n]{0,400} after [\\d.]+ s`,
		'Request 4f0c was still PROCESSING after 900 s',
	),
	form(
		`Request ${ID} was still running when the time was up`,
		'Request 4f0c was still running when the time was up',
	),
	form(
		`Request ${ID} is not known to the service: it has expired, or it belongs to another account or is a workflow run`,
		'Request 4f0c is not known to the service: it has expired, or it belongs to another account or is a workflow run',
	),
	form(
		`Request ${ID} is not known to the service now, although it was accepted`,
		'Request 4f0c is not known to the service now, although it was accepted',
	),
	form(
		`Request ${ID} was made with the credential '[^\\n]*' and is not known to the account of this one`,
		"Request 4f0c was made with the credential 'mine' and is not known to the account of this one",
	),
	form(
		`Request ${ID} completed, but [^\\n]+`,
		'Request 4f0c completed, but its result says that it failed: why',
	),
	form(
		`Request ${ID} completed, but its result has expired`,
		'Request 4f0c completed, but its result has expired',
	),
	form(
		`(Request ${ID}|The address) points to [^\\n]+, which is not an origin of the credential \\([^\\n]+\\)`,
		'Request 4f0c points to http://other, which is not an origin of the credential (http://api)',
	),
	form(
		'The address carries a user name or a password and is therefore not an origin of the credential',
		'The address carries a user name or a password and is therefore not an origin of the credential',
	),
	form(
		`The request for [^\\n]+ may have been accepted by an earlier try, with the credential '[^\\n]*'`,
		"The request for model 'x' may have been accepted by an earlier try, with the credential 'mine'",
	),
	form(
		`The request for [^\\n]+ may have been accepted: [^\\n]+`,
		"The request for model 'x' may have been accepted: no answer came, because it took too long",
	),
	form(
		`No answer from Segmind for [^\\n]+${REASON}( \\(request ${ID}\\))?`,
		"No answer from Segmind for model 'x': the connection was refused",
	),
	form(
		`Segmind's answer for [^\\n]+ could not be used \\(HTTP \\d{3}\\): [^\\n]+`,
		"Segmind's answer for model 'x' could not be used (HTTP 200): it was empty",
	),
	form(
		'An earlier try completed and was charged, but its output could not be kept and it carried no request ID',
		'An earlier try completed and was charged, but its output could not be kept and it carried no request ID',
	),
	form(
		`The execution was stopped (before this item was sent|while a request was being sent|while an earlier try of this item was being looked for|while request ${ID} was running)`,
		'The execution was stopped before this item was sent',
	),
	form(
		'Not sent, because an earlier item failed: [^\\n]+',
		"Not sent, because an earlier item failed: Model 'x': the balance is used up (HTTP 402)",
	),
	form(
		'Not sent: the balance of [-+\\d.e]+ USD is below the Minimum Balance of [-+\\d.e]+ USD',
		'Not sent: the balance of 1 USD is below the Minimum Balance of 5 USD',
	),
	form(
		'Not sent: [-+\\d.e]+ of the [-+\\d.e]+ USD of Maximum Cost is spent or reserved[^\\n]*',
		'Not sent: 1.9 of the 2 USD of Maximum Cost is spent or reserved, and this request is expected to cost 0.4',
	),
	form(
		"Not sent: what a request to '[^\\n]+' costs is not known, so Maximum Cost cannot be kept",
		"Not sent: what a request to 'x' costs is not known, so Maximum Cost cannot be kept",
	),
	form(
		"A file in n8n's store has \\d+ bytes instead of \\d+",
		"A file in n8n's store has 3 bytes instead of 4",
	),
	form(
		'The file could not be fetched from [^\\s]+: [^\\n]+',
		'The file could not be fetched from example.com: HTTP 404',
	),
];

/** What is wrong with a parameter; nothing was sent. */
const PARAMETERS = [
	form(
		"(Input '[^\\n]*'|Prompt) is [^\\n]+, not (text|a number|true or false|JSON)",
		"Input 'seed' is 'x', not a number",
	),
	form(
		"Input '[^\\n]*' is not valid JSON: [^\\n]+",
		"Input 'x' is not valid JSON: Unexpected end of JSON input",
	),
	form(
		"((Input|Parameter) '[^\\n]*'|Inputs \\(JSON\\)) is nested too deep",
		"Input 'x' is nested too deep",
	),
	form(
		"Parameter '[^\\n]*' is [^\\n]+, (not a file|which is neither a URL nor a data URL nor a binary field of the item)",
		"Parameter 'image' is 'x', which is neither a URL nor a data URL nor a binary field of the item",
	),
	form(
		"Parameter '[^\\n]*' has a name that the form cannot hold",
		"Parameter 'a b' has a name that the form cannot hold",
	),
	form("Input '[^\\n]*' is given twice", "Input 'seed' is given twice"),
	form('Input \\d+ has (no name|a name of \\d+ characters)', 'Input 1 has no name'),
	form(
		"(Input '[^\\n]*' names no binary field|[^\\n]+: the item has no binary field '[^\\n]*')",
		"Input 'image': the item has no binary field 'data'",
	),
	form(
		'Inputs \\(JSON\\) is [^\\n]+, at position 0, but must be an object',
		'Inputs (JSON) is a list, at position 0, but must be an object',
	),
	form(
		'Inputs \\(JSON\\) is not valid JSON: position \\d+ \\(line \\d+, column \\d+\\): [^\\n]+',
		'Inputs (JSON) is not valid JSON: position 3 (line 1, column 4): Unexpected token',
	),
	form('(Model|Workflow Slug|Request|Binary Fields|Data URL) is empty', 'Model is empty'),
	form(
		"(A file|(File|Binary Field) '[^\\n]*') is empty \\(0 bytes\\)",
		"File 'photo.png' is empty (0 bytes)",
	),
	form(
		"(Model|Workflow Slug|Request) '[^\\n]*' is (not a valid name|an address, not a name)",
		"Model '..' is not a valid name",
	),
	form(
		'(Model|Workflow Slug|Request) contains a broken character',
		'Model contains a broken character',
	),
	form(
		"Option '[^\\n]+' (is '[^\\n]*', but must be|cannot be) [^\\n]+",
		"Option 'Timeout' is 'x', but must be a number of at least 1",
	),
	form(
		"Request contains the text of an expression: '[^\\n]*'",
		"Request contains the text of an expression: '{{ $json }}'",
	),
	form("Request (is a list|'[^\\n]*' (is neither [^\\n]+|names no request))", 'Request is a list'),
	form(
		'The object in Request has no request_id and no address',
		'The object in Request has no request_id and no address',
	),
	form(
		"Data URL \\d+ is not a data URL with base64 content: '[^\\n]*'",
		"Data URL 1 is not a data URL with base64 content: 'x'",
	),
	form("URL '[^\\n]*' is not an http\\(s\\) address", "URL 'x' is not an http(s) address"),
];

/** What only the polling trigger says. */
const POLLS = [
	form(
		'There is no (fine-tune job|finished request) to show',
		'There is no finished request to show',
	),
	form(
		'None of the \\d+ listed requests has finished with a chosen state yet: [^\\n]+',
		'None of the 2 listed requests has finished with a chosen state yet: 4f0c is QUEUED',
	),
	form(
		'The list of requests (is empty|has (an entry|\\d+ entries) that cannot be read)',
		'The list of requests is empty',
	),
	form(
		'Segmind (returned no status for any of the listed requests|has no request history at this address \\(HTTP 404\\))',
		'Segmind returned no status for any of the listed requests',
	),
	form(
		'The request history could not be read to its end in the time of one poll',
		'The request history could not be read to its end in the time of one poll',
	),
];

export const ERROR_FORMS: readonly ErrorForm[] = [
	...STATUSES,
	...REQUESTS,
	...PARAMETERS,
	...POLLS,
];

/** Words of the engine that never belong into a text for a person. */
const RAW =
	/Cannot (read|set|convert|destructure)|is not (a function|iterable|a constructor|extensible)|Unexpected token [^\n]* in JSON|Invalid URL|\[object |Maximum call stack|Invalid (string|array) length|out of memory|\bundefined\b|TypeError|RangeError|SyntaxError|node_modules/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;
/** Longest message of one failed item, characters. */
const LONGEST = 1_200;

/** What is wrong with the message of one failed item; undefined when it has a form of the table. A tool's message goes on with its description. */
export function faultOfMessage(message: string, description = ''): string | undefined {
	const bare = message.endsWith(description)
		? message.slice(0, message.length - description.length).replace(/\. $/, '')
		: message;
	if (CONTROL.test(bare)) return `control characters in "${bare.slice(0, 300)}"`;
	if (bare.length > LONGEST) return `${bare.length} characters: "${bare.slice(0, 300)}"`;
	const named = / \(request [^\n]{1,200}?\)$/;
	const known = ERROR_FORMS.some(
		({ form }) => form.test(bare) || form.test(bare.replace(named, '')),
	);
	return known ? undefined : `no form of the table: "${bare.slice(0, 500)}"`;
}

/** The same for the one error of a run of several items, which begins with a count. */
export function faultOfRunMessage(message: string, description = ''): string | undefined {
	const [first] = message.split('\n');
	return faultOfMessage(first.replace(/^(All \d+|\d+ of \d+) items failed\. /, ''), description);
}

/** Words of the engine in a text that is ours from beginning to end: the service's own words are to be left out. */
export function rawWordsIn(text: string): string | undefined {
	return RAW.exec(text)?.[0];
}

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
