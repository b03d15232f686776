/**
 * The errors of inputs that the user can correct. They are thrown before anything is sent, and name the parameter. Values replace the names in
 * braces; the description ends with `NOTHING_SENT`.
 */

import type { ErrorRow } from './errorTable';
import { SIGN_IN_AGAIN } from './statusTable';

const NOT_EVALUATED = {
	what: "{label} contains the text of an expression: '{value}'",
	todo: 'Switch the field from Fixed to Expression, so that n8n evaluates it.',
};

export const INPUTS = {
	empty: { what: '{label} is empty', todo: '{todo}' },
	notEvaluated: NOT_EVALUATED,
	undefinedPart: {
		what: '{label} contains {expression}, which is {fault} for this item',
		todo: "Correct the expression. To read a field of an earlier node, drag it from that node in the input panel: n8n then inserts an expression such as $('Node Name').item.json.field. If the value is optional, give it a default, as in {{ $json.field ?? '' }}.",
	},
	objectPart: {
		what: '{label} contains {expression}, which is an object and not text',
		todo: 'Choose one of its fields, or convert it to text with JSON.stringify().',
	},
	wrong: {
		what: "{label} is '{value}', but must be {wanted}",
		todo: 'Correct the value in the node, or the expression that returns it.',
	},
	noOperation: {
		what: "This node has no {name} '{value}'",
		todo: "Choose a value from the node's list.",
	},
	/** Slugs and IDs that become part of a URL, and URLs. */
	notAName: {
		what: "{label} '{value}' is not a valid name",
		todo: 'Use the name as Segmind shows it, without a leading slash.',
	},
	addressNotName: {
		what: "{label} '{value}' is a URL, not a name",
		todo: 'Use only the last part of the URL, for example nano-banana-pro.',
	},
	brokenCharacter: { what: '{label} contains an invalid character', todo: 'Type the text again.' },
	wrongAddress: {
		what: '{label} in the credential is not an http(s) address',
		todo: 'Correct it in the Segmind API credential.',
	},
	wrongAccountAddress: {
		what: 'Account URL or Console URL in the Segmind Session API credential is not an http(s) address',
		todo: 'Correct it in the credential.',
	},
	addressWithUser: {
		what: "The address contains a user name or a password, so the node doesn't send the API key to it",
		todo: 'Remove the part before the @.',
	},
	/** Inputs of a model or a workflow. */
	givenTwice: { what: "Input '{name}' is given twice", todo: '{todo}' },
	noName: { what: 'Input {number} has no name', todo: 'Enter the name of the input.' },
	longName: {
		what: 'The name of input {number} is too long ({length} characters)',
		todo: 'Use the name of the input exactly as the model or workflow spells it.',
	},
	foundNothing: {
		what: '{label} is {value}, not text',
		todo: 'The expression returned nothing. Correct the expression.',
	},
	nullNotText: {
		what: '{label} is {value}, not text',
		todo: 'The expression returned nothing. Correct the expression, or set Type to JSON to send null.',
	},
	objectNotText: {
		what: '{label} is {value}, not text',
		todo: 'Convert the value to text in the expression, or, in an input row, set Type to JSON.',
	},
	inputNotJson: {
		what: "Input '{name}' is not valid JSON: {why}",
		todo: 'Text needs quotes: "text".',
	},
	undefinedNotJson: {
		what: "Input '{name}' is undefined, not JSON",
		todo: 'The expression returned nothing. Correct the expression.',
	},
	notAnObject: {
		what: '{label} is {value}, but must be a JSON object',
		todo: 'Write it as {"name": value}.',
	},
	notJson: {
		what: '{label} is not valid JSON: {why}',
		todo: 'Check the quotes, commas and brackets at that position.',
	},
	tooDeep: {
		what: '{label} is nested too deeply',
		todo: 'Use fewer levels of nested lists and objects.',
	},
	notInForm: {
		what: "Parameter '{name}' can't be set in the form because of its name",
		todo: 'Remove it from the form, and add it under Options > Additional Parameters.',
	},
	/** Files. */
	noFieldName: {
		what: "{label} doesn't name a binary field",
		todo: 'Enter the name of the field that holds the file, usually data.',
	},
	noBinaryField: { what: "{label}: the item has no binary field '{value}'", todo: '{existing}' },
	notAFile: {
		what: "Parameter '{name}' is {value}, not a file",
		todo: 'Enter a URL, a data URL, or the name of a binary field, usually data.',
	},
	notAFileText: {
		what: "Parameter '{name}' is '{value}', which is neither a URL nor a data URL nor a binary field of the item",
		todo: '{existing} Enter the name of a binary field, or a URL that begins with https://. If the value is not a file, send it under Options > Additional Parameters.',
	},
	tooManyFiles: { what: '{label} has {count} files', todo: 'Use {most} files at most.' },
	emptyFile: { what: '{label} is empty (0 bytes)', todo: 'Choose a file that has content.' },
	imageNotSent: {
		what: "The node can't tell which parameter of model '{model}' takes the item's image '{images}'",
		todo: 'Enter {images} in a field marked "(file)". If the form has none, add the parameter under Options > Additional Parameters, with the type File. To send only the prompt, use Any Model: Run.',
	},
	severalImages: {
		what: 'The item has several images ({images}), and none was chosen',
		todo: 'Enter the name of an image in a field marked "(file)", or several names separated by commas in a field marked "(files)"{fields}.',
	},
	urlForAgent: {
		what: 'The source Public URL is not available when an AI agent calls this node',
		todo: 'Pass the URL directly to the model, without an upload, or provide the file as Binary Data or as a Data URL.',
	},
	noDataUrl: { what: 'Data URL is empty', todo: 'Write it as data:image/png;base64,…' },
	notADataUrl: {
		what: "Data URL {number} is not a data URL with base64 content: '{value}'",
		todo: 'Write it as data:image/png;base64,…',
	},
	notAUrl: {
		what: "URL '{value}' is not an http(s) address",
		todo: 'Enter the full URL of a file, starting with https://.',
	},
	wrongJob: { what: "'{member}' in Job (JSON) is wrong: {why}", todo: 'Correct it in Job (JSON).' },
	/** The parameter Request, and the trigger's list of requests. */
	notARequest: {
		what: 'Request {problem}',
		todo: 'Enter a request ID, one of the URLs that Segmind returned, or the whole item of a request as {{ $json }}.',
	},
	noRequests: {
		what: 'The list of requests is empty',
		todo: 'In Requests, enter request IDs, URLs that Segmind returned, or the output items of requests that were sent with Wait for Completion off.',
	},
	/** Options and single parameters. */
	wrongOption: {
		what: "Option '{name}' is '{value}', but must be {wanted}",
		todo: 'Correct the option, or the expression that returns it.',
	},
	wrongOutputField: {
		what: "Option 'Put Output File in Field' cannot be '{name}'",
		todo: 'Choose another name.',
	},
	datesSwapped: { what: 'From Date is after To Date', todo: 'Swap the dates.' },
	notADate: {
		what: "{label} is '{value}', which is not a date",
		todo: 'Use the format YYYY-MM-DD, for example 2026-12-31.',
	},
	tooManyRows: {
		what: 'There are more than 100,000 rows between the dates',
		todo: 'Choose fewer days.',
	},
	noStatus: {
		what: 'No status is chosen',
		todo: 'Choose Completed, Failed or both under Statuses.',
	},
	workersSwapped: {
		what: 'Workers Min is {least}, which is above Workers Max ({most})',
		todo: 'Lower Workers Min or increase Workers Max.',
	},
	noUpdateFields: { what: 'Update Fields is empty', todo: 'Add the fields to change.' },
	wrongThreshold: {
		what: "Threshold is '{value}', but must be a number",
		todo: 'Enter an amount in USD.',
	},
	noRefreshToken: {
		what: 'The Segmind Session API credential has no refresh token',
		todo: SIGN_IN_AGAIN,
	},
	maskedKey: {
		what: 'API Key is masked, so the node cannot tell which key to use',
		todo: 'Turn on Show Full Keys in the node that lists the keys, and pass the full key.',
	},
	wrongAccess: {
		what: 'Model Access is empty, null or not valid JSON',
		todo: 'Enter the restriction as JSON, or set Model Access Mode to Clear to remove the restriction.',
	},
} as const satisfies Record<string, ErrorRow>;
