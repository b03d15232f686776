import type { ICredentialType, INodeType } from 'n8n-workflow';

import { parametersOf, type Form } from './parameters';

/** The contract as a flat list: what a saved workflow can name, and what is true of it, in words. */
export type Contract = Record<string, string>;

/** What a user meets in the descriptions of nodes and credentials; no texts, since those may be bettered at any time. */
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

/** Everything of a parameter but its choices, which may grow without harm. */
function descriptionOf(forms: Form[]): string {
	const said = forms.map(({ type, defaultValue, required, shown, parentShown }) =>
		JSON.stringify({ type, default: defaultValue, required, shown, parentShown }),
	);
	return [...new Set(said)].sort().join(' or ');
}

function choicesIn(forms: Form[]): string[] {
	return [...new Set(forms.flatMap(({ choices }) => choices))].sort();
}
