const API_KEY = /SG_[0-9A-Za-z]{8,}/g;
const JWT = /eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
/** The query of any URL: presigned addresses carry their signature there. */
const URL_QUERY = /(https?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi;

/**
 * Takes keys, tokens and query strings of URLs out of a text that goes into an error or a log (design.md section 4, Secrets).
 * `secrets` are exact values to remove as well, such as the key of the credential in use.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
	let clean = text;
	for (const secret of secrets) {
		if (secret.length >= 4) clean = clean.split(secret).join('[hidden]');
	}
	return clean
		.replace(API_KEY, '[hidden]')
		.replace(JWT, '[hidden]')
		.replace(URL_QUERY, '$1?[hidden]');
}
