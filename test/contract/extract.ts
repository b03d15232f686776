import type { ICredentialType, INodeType } from 'n8n-workflow';

import { parametersOf, type Form } from './parameters';

/** The contract as a flat list. A key names something that a saved workflow can use; its value describes that in words. */
export type Contract = Record<string, string>;

/** Returns the part of the contract that is in the descriptions of nodes and credentials. Leaves out display texts, which may change at any time. */
export function describedContract(nodes: INodeType[], credentials: ICredentialType[]): Contract {
	return Object.fromEntries([
		...credentials.flatMap(({ name, properties }) => [
			[`credential ${name}`, 'exists'],
			...[...parametersOf(properties)].map(([parameter, forms]) => [
				`credential ${name} parameter ${parameter}`,
				descriptionOf(forms),
			]),
		]),
		...nodes.flatMap(({ description, methods }) => {
			const {
				name,
				version,
				inputs,
				outputs,
				usableAsTool = false,
				polling = false,
				webhooks = [],
			} = description;
			return [
				[
					`node ${name}`,
					JSON.stringify({ version, inputs, outputs, usableAsTool, polling, webhooks }),
				],
				...(description.credentials ?? []).map((credential) => [
					`node ${name} credential ${credential.name}`,
					JSON.stringify({
						required: credential.required ?? false,
						shown: credential.displayOptions,
					}),
				]),
				...Object.keys(methods?.listSearch ?? {}).map((method) => [
					`node ${name} list ${method}`,
					'exists',
				]),
				...Object.keys(methods?.resourceMapping ?? {}).map((method) => [
					`node ${name} form ${method}`,
					'exists',
				]),
				...[...parametersOf(description.properties)].flatMap(([parameter, forms]) => [
					[`node ${name} parameter ${parameter}`, descriptionOf(forms)],
					...choicesIn(forms).map((choice) => [
						`node ${name} parameter ${parameter} choice ${choice}`,
						'exists',
					]),
				]),
			] as string[][];
		}),
	]) as Contract;
}

/**
 * Describes a parameter: its type, its default, and what shows it. The choices have entries of their own, because adding choices does no harm. The
 * forms of a parameter that occurs more than once are separated by "or".
 */
function descriptionOf(forms: Form[]): string {
	const descriptions = forms.map(({ type, defaultValue, required, shown, parentShown }) =>
		[
			`${type} = ${JSON.stringify(defaultValue)}`,
			...(required ? ['required'] : []),
			...[parentShown, shown].flatMap(conditionsOf),
		].join('; '),
	);
	return [...new Set(descriptions)].sort().join(' or ');
}

/** Describes displayOptions, such as "operation: edit, generate" and "not watch: requests". */
function conditionsOf({ show = {}, hide = {} }: NonNullable<Form['shown']> = {}): string[] {
	const describe = (prefix: string, conditions: typeof show) =>
		Object.entries(conditions).map(
			([name, values = []]) =>
				`${prefix}${name}: ${values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)).join(', ')}`,
		);
	return [...describe('', show), ...describe('not ', hide)];
}

function choicesIn(forms: Form[]): string[] {
	return [...new Set(forms.flatMap(({ choices }) => choices))].sort();
}
