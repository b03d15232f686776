import type { IDataObject } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { isBlank } from '../base/text';
import { badInput, fill, wrongState } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import { assertExpressions, rawParameter } from './expressions';
import { isBinary, readFileField, type Files } from './files';
import type { Conversation } from './conversation';
import { filesOfKind, type ImagesIn } from './ownFile';
import { parseJsonBody } from './json';
import { readChoice, readPlainText } from './values';

/** What a task for language models sends besides prompt and system prompt. */
export interface Additions {
	/** Messages before the prompt. */
	turns: Conversation['turns'];
	pictures: Files['parts'];
	/** The value of `response_format`; undefined for text. */
	format?: unknown;
}

/** Reads what a task for language models adds to the prompt. @throws SegmindFailure that names the field, before any call */
export function readAdditions(session: Session, itemIndex: number, imagesIn: ImagesIn): Additions {
	return {
		turns: readTurns(session, itemIndex),
		pictures: readImages(session, itemIndex, imagesIn),
		format: readFormat(session, itemIndex),
	};
}

function readTurns(session: Session, itemIndex: number): Conversation['turns'] {
	const path = 'options.conversation.values';
	const rows = session.context.getNodeParameter(path, itemIndex, []) as IDataObject[];
	return rows.flatMap(({ role, message }, at) => {
		const label = `Message ${at + 1} of Conversation`;
		assertExpressions(session, itemIndex, label, rawParameter(session, `${path}.${at}`));
		const text = readPlainText(message ?? '', label);
		if (isBlank(text)) return [];
		const who = readChoice(role ?? 'user', `Role of ${label}`, ['user', 'assistant'] as const);
		return [{ role: who, text }];
	});
}

/** Reads the pictures. An item's own picture is sent by a task that needs one; for any other task, a hint names that task. */
function readImages(session: Session, itemIndex: number, imagesIn: ImagesIn): Files['parts'] {
	const { context, hints, isTool } = session;
	const label = 'Images';
	const raw = rawParameter(session, imagesIn);
	const isNeeded = imagesIn === 'images';
	const isExpression = typeof raw === 'string' && raw.startsWith('=');
	assertExpressions(session, itemIndex, label, raw, !isNeeded);
	const value: unknown = context.getNodeParameter(imagesIn, itemIndex, '') ?? '';
	const { parts } = readFileField(session, itemIndex, label, value, true);
	// A model's text must not make n8n read a file of its own network.
	if (isTool && isExpression && parts.some((part) => !isBinary(part) && !/^data:/i.test(part)))
		throw wrongState(label, 'a URL from an AI agent', 'binary data, or a URL entered in the node');
	if (parts.length > 0) return parts;
	const values = { item: itemIndex, label, expression: safeTextOf(raw), fault: 'empty' };
	if (isExpression && !isTool && isNeeded) throw badInput(INPUTS.undefinedPart, values);
	if (isExpression && !isTool) hints.add(fill(HINTS.leftOut, values));
	const own = filesOfKind(session, itemIndex, 'image/');
	const files = own.map(([name]) => safeTextOf(name)).join(', ');
	if (!isNeeded && own.length > 0)
		hints.add(fill(HINTS.fileOfOtherTask, { field: files, task: 'Image: Analyze' }));
	if (!isNeeded) return [];
	if (own.length === 1) return [own[0][1]];
	const todo =
		own.length > 1
			? `The item has several images (${files}). Enter the names of those to send, separated by commas.`
			: "Enter the name of a binary field, usually data, or an image's URL.";
	throw badInput(INPUTS.empty, { label, todo });
}

/** Reads the schema that the answer must fit, from the three fields that n8n's own nodes have for it. */
function readFormat(session: Session, itemIndex: number): unknown {
	const parameter = (name: string, fallback: string): unknown =>
		session.context.getNodeParameter(name, itemIndex, fallback);
	if (parameter('outputFormat', 'text') !== 'json') return undefined;
	const isManual = parameter('schemaType', 'fromJson') === 'manual';
	if (isManual)
		assertExpressions(session, itemIndex, 'Input Schema', rawParameter(session, 'inputSchema'));
	const schema = isManual
		? parseJsonBody(parameter('inputSchema', ''), 'Input Schema').value
		: schemaOf(parseJsonBody(parameter('jsonSchemaExample', ''), 'JSON Example').value);
	return { type: 'json_schema', json_schema: { name: 'output', schema } };
}

/** Returns the schema of values like this one. Every member is required. */
function schemaOf(example: unknown): Record<string, unknown> {
	if (Array.isArray(example)) return { type: 'array', items: schemaOf(example[0] ?? null) };
	if (example === null) return {};
	if (typeof example !== 'object') return { type: typeof example };
	const properties = Object.entries(example as object).map(([name, value]) => [
		name,
		schemaOf(value),
	]);
	return {
		type: 'object',
		properties: Object.fromEntries(properties) as unknown,
		required: Object.keys(example as object),
	};
}
