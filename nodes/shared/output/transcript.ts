import { isObject } from '../service/schemas';

interface Transcript {
	text: string;
	/** What the model returned besides, such as times and speakers; undefined for nothing. */
	rest?: Record<string, unknown>;
}

/** The transcript in the result of a request that transcribes, in any form that is likely (docs/service.md S145); undefined if there is none. */
export function transcriptIn(
	output: unknown,
	body: Record<string, unknown>,
): Transcript | undefined {
	if (typeof output === 'string' && output.trim() !== '')
		return /^https?:\/\/\S+$/i.test(output.trim()) ? undefined : { text: output };
	if (isObject(output)) return inMembers(output);
	const inBody = inMembers(body);
	return inBody && { text: inBody.text };
}

function inMembers(members: Record<string, unknown>): Transcript | undefined {
	const name = ['text', 'transcript'].find((member) => typeof members[member] === 'string');
	if (name === undefined) return undefined;
	const { [name]: text, ...rest } = members;
	return { text: text as string, rest: Object.keys(rest).length > 0 ? rest : undefined };
}
