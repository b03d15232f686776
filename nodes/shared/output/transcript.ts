import { isObject } from '../service/schemas';
import type { Result } from './result';

/** Returns the result of a request that transcribes, with the transcript as its `text` (docs/service.md S145). The rest of the result is unchanged. */
export function withTranscript(result: Result): Result {
	const { text, output, extra } = result;
	if (text !== undefined) return result;
	if (typeof output === 'string')
		return /^https?:\/\/\S+$/i.test(output.trim())
			? result
			: { ...result, text: output, output: undefined };
	const inOutput = splitTranscript(output);
	if (inOutput) return { ...result, text: inOutput.text, output: inOutput.rest };
	const inExtra = splitTranscript(extra);
	return inExtra
		? { ...result, text: inExtra.text, extra: inExtra.rest as Result['extra'] }
		: result;
}

function splitTranscript(
	value: unknown,
): { text: string; rest?: Record<string, unknown> } | undefined {
	if (!isObject(value)) return undefined;
	const name = ['text', 'transcript'].find((member) => typeof value[member] === 'string');
	if (name === undefined) return undefined;
	const { [name]: text, ...rest } = value;
	return { text: text as string, rest: Object.keys(rest).length > 0 ? rest : undefined };
}
