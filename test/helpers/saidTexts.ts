/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** The texts of errors and hints as the source of the nodes has them, so that a test sees a text that it can't provoke, too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as ts from 'typescript';

import { ROOT } from '../../dev/base/project';
import { filesBelow } from './filesBelow';

/** A text that a place in the source makes with `say`, with {} in place of each value. */
interface SourceText {
	text: string;
	/** The member of an error's row that it is, such as `what`; undefined if it's a part of a text. */
	member?: string;
}

/** Returns the texts of errors and hints below nodes. */
export function saidTexts(): SourceText[] {
	return filesBelow('nodes')
		.filter((file) => file.endsWith('.ts'))
		.flatMap(textsOf);
}

function textsOf(file: string): SourceText[] {
	const text = readFileSync(join(ROOT, file), 'utf8');
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const found: SourceText[] = [];
	const visit = (node: ts.Node) => {
		if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'say')
			found.push({ text: textOf(node.template), member: memberOf(node) });
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

function textOf(template: ts.TemplateLiteral): string {
	if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
	return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)].join(
		'{}',
	);
}

/** Returns the name of the member that a text is, also as one of two choices. */
function memberOf(node: ts.Node): string | undefined {
	const { parent } = node;
	if (ts.isConditionalExpression(parent)) return memberOf(parent);
	return ts.isPropertyAssignment(parent) ? parent.name.getText() : undefined;
}
