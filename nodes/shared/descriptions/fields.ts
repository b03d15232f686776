/** Makes parameters of the usual kinds. `more` adds or replaces members. */
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

type More = Partial<INodeProperties>;

/** Shows a field only while each of these fields has one of the values. Inside a collection, the path of the node's own fields begins with a slash. */
export function showIf(show: IDisplayOptions['show']): Pick<INodeProperties, 'displayOptions'> {
	return { displayOptions: { show } };
}

/** Hides a field while one of these fields has one of the values. `@tool`: in an agent's tool. */
export function hideIf(hide: IDisplayOptions['hide']): Pick<INodeProperties, 'displayOptions'> {
	return { displayOptions: { hide } };
}

export function textField(
	name: string,
	displayName: string,
	description: string,
	more: More = {},
): INodeProperties {
	return { displayName, name, type: 'string', default: '', description, ...more };
}

/** A text that must not be empty. */
export function requiredText(
	name: string,
	displayName: string,
	description: string,
	placeholder?: string,
): INodeProperties {
	return textField(name, displayName, description, { required: true, placeholder });
}

export function switchField(
	name: string,
	displayName: string,
	description: string,
	more: More = {},
): INodeProperties {
	return { displayName, name, type: 'boolean', default: false, description, ...more };
}

export function numberField(
	name: string,
	displayName: string,
	defaultValue: number,
	description: string,
	typeOptions: INodeProperties['typeOptions'],
): INodeProperties {
	return { displayName, name, type: 'number', typeOptions, default: defaultValue, description };
}

/** A whole number that isn't negative. */
export const WHOLE = { minValue: 0, numberPrecision: 0 };

/** A choice of one value; of several, if the default is a list. */
export function choiceField(
	name: string,
	displayName: string,
	description: string | undefined,
	choices: Array<[value: string, name: string, description?: string]>,
	defaultValue: string | string[],
	more: More = {},
): INodeProperties {
	return {
		displayName,
		name,
		type: Array.isArray(defaultValue) ? 'multiOptions' : 'options',
		options: choices.map(([value, label, about]) => ({ name: label, value, description: about })),
		default: defaultValue,
		description,
		...more,
	};
}

/** Fields that the user adds one by one; `add` is the text of the button. */
export function collectionField(
	name: string,
	displayName: string,
	add: string,
	options: INodeProperties[],
): INodeProperties {
	return { displayName, name, type: 'collection', placeholder: add, default: {}, options };
}

export function notice(name: string, displayName: string): INodeProperties {
	return { displayName, name, type: 'notice', default: '' };
}

/** A choice from a list that `searchListMethod` returns; any other value can be typed, as `byHand` ('By ID'). */
export function pickerField(
	name: string,
	displayName: string,
	description: string,
	list: { method: string; placeholder: string; isPublic?: true },
	byHand: { displayName: string; name: string; placeholder: string; hint?: string },
): INodeProperties {
	const { method, placeholder, isPublic } = list;
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		description,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder,
				typeOptions: {
					searchListMethod: method,
					searchable: true,
					...(isPublic && { skipCredentialsCheckInRLC: true }),
				},
			},
			{ type: 'string', ...byHand },
		],
	};
}
