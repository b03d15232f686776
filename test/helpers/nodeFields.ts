/** Every field of every operation of every action node, from the nodes' descriptions. */
import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	NodeParameterValueType,
} from 'n8n-workflow';

import { findModel } from '../../nodes/shared/catalogue';
import { fieldTitle } from '../../nodes/shared/catalogue/labels';
import { promptNameOf } from '../../nodes/shared/catalogue/prompt';
import { findTask } from '../../nodes/shared/catalogue/tasks';
import { DATA_URL, jobOf } from './fineTune';
import { ACTION_NODES, actionNode } from './packageNodes';

/** An operation of a node, and parameters with which an ordinary run succeeds. */
export interface NodeOperation {
	node: string;
	title: string;
	parameters: INodeParameters;
}

/** A field that a user can fill in. */
export interface NodeField {
	/** n8n's path of the field. */
	path: string;
	/** The path, and the values of other fields that show the field. */
	title: string;
	property: INodeProperties;
	/** `form`: one of the model's own parameters. */
	place: 'node' | 'collection' | 'row' | 'form';
	/** What every error about the field contains, in capital or small letters. */
	label: string;
	parametersWith(value: NodeParameterValueType): INodeParameters;
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** Values of fields without a default that suits an ordinary run, by the fields' names. */
const VALUES: INodeParameters = {
	apiKey: ['SG', '0123456789abcdef'].join('_'),
	dataUrl: 'data:image/png;base64,iVBORw0KGgo=',
	email: 'name@example.com',
	endpointId: byId('endpoint1'),
	endpointName: 'mine',
	finetuneId: byId('job1'),
	images: 'data',
	jobJson: JSON.stringify(jobOf('FLUX_PRO')),
	modelAccess: '["flux-dev"]',
	modelName: byId('flux-dev'),
	name: 'example',
	prompt: 'a lighthouse',
	request: 'request1',
	slug: 'product-photo',
	updateFields: { workersMin: 1 },
	url: DATA_URL,
	verificationToken: 'token-of-the-page',
	waitForCompletion: false,
};

export const NODE_OPERATIONS: NodeOperation[] = Object.keys(ACTION_NODES).flatMap((node) => {
	const { properties } = actionNode(node).description;
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap((property) => {
			const [resource] = property.displayOptions?.show?.resource ?? [];
			return choicesOf(property).map((operation) => {
				const chosen = { ...(resource !== undefined && { resource }), operation };
				const names = namesOfOperation(properties, chosen);
				const values = Object.entries(VALUES).filter(([name]) => names.has(name));
				return {
					node,
					title: [node, ...Object.values(chosen)].join(' '),
					parameters: { ...Object.fromEntries(values), ...chosen } as INodeParameters,
				};
			});
		});
});

/** Returns the fields of an operation, also those that only a certain value of another field shows. */
export function fieldsOf({ node, parameters }: NodeOperation): NodeField[] {
	const { properties } = actionNode(node).description;
	return properties
		.filter((property) => belongsTo(property, parameters))
		.filter(({ name, type }) => !['resource', 'operation'].includes(name) && type !== 'notice')
		.flatMap((property) => fieldsIn(property, { ...parameters, ...conditionsOf(property) }));
}

function fieldsIn(property: INodeProperties, parameters: INodeParameters): NodeField[] {
	const { name, displayName, type } = property;
	switch (type) {
		case 'collection':
			return membersOf(property, parameters).flatMap((member) => {
				const inside = fieldsIn(member, conditionsOf(member));
				return inside.map((field) => ({
					...field,
					path: `${name}.${field.path}`,
					title: `${name}.${field.title}`,
					place: field.place === 'node' ? 'collection' : field.place,
					parametersWith: (value) => ({ ...parameters, [name]: field.parametersWith(value) }),
				}));
			});
		case 'fixedCollection': {
			const groups = property.options as INodePropertyCollection[];
			if (property.typeOptions?.multipleValues !== true) {
				const collections = groups.map(
					({ values, ...group }): INodeProperties => ({
						...group,
						type: 'collection',
						default: {},
						options: values,
					}),
				);
				const fields = fieldsIn(
					{ ...property, type: 'collection', options: collections },
					parameters,
				);
				return fields.map((field) => ({ ...field, label: displayName }));
			}
			return groups.flatMap((group) =>
				group.values.map((member): NodeField => {
					const row = { ...rowOf(group), ...conditionsOf(member) };
					const path = `${name}.${group.name}.0.${member.name}`;
					return {
						path,
						title: path,
						property: member,
						place: 'row',
						label: group.values[0].name === 'name' ? 'Input ' : 'Row 1',
						parametersWith: (value) => ({
							...parameters,
							[name]: { [group.name]: [{ ...row, [member.name]: value }] },
						}),
					};
				}),
			);
		}
		case 'resourceMapper':
			return formFields(name, parameters);
		default:
			return [
				{
					path: name,
					title: [name, ...Object.values(conditionsOf(property))].join(' '),
					property,
					place: 'node',
					label: displayName.split(' (')[0],
					parametersWith: (value) => ({ ...parameters, [name]: wrapped(property, value) }),
				},
			];
	}
}

/** Returns one field for each kind of parameter that the task's default model has. */
function formFields(name: string, parameters: INodeParameters): NodeField[] {
	const slug = findTask(parameters.resource, parameters.operation)?.defaultModel ?? '';
	const known = (findModel(slug)?.parameters ?? []).filter(({ hidden }) => !hidden);
	const byKind = new Map(known.map((one) => [`${one.type} ${one.list} ${one.required}`, one]));
	return [...byKind.values()]
		.filter(({ name: one }) => one !== 'messages' && one !== promptNameOf(slug))
		.map((parameter) => ({
			path: `${name}.value.${parameter.name}`,
			title: `${name}.value.${parameter.name}`,
			property: { ...parameter, displayName: parameter.name, default: '' } as INodeProperties,
			place: 'form',
			label: fieldTitle(parameter),
			parametersWith: (value) => ({
				...parameters,
				[name]: { mappingMode: 'defineBelow', value: { [parameter.name]: value as string } },
			}),
		}));
}

/** Whether a property is one of an operation, perhaps hidden until another field has a certain value. */
function belongsTo({ displayOptions }: INodeProperties, parameters: INodeParameters): boolean {
	const { show = {}, hide = {} } = displayOptions ?? {};
	return ['resource', 'operation'].every((name) => {
		const value = parameters[name] as string;
		const shownFor = show[name] ?? show[`/${name}`] ?? [value];
		const hiddenFor = hide[name] ?? hide[`/${name}`] ?? [];
		return shownFor.includes(value) && !hiddenFor.includes(value);
	});
}

function namesOfOperation(properties: INodeProperties[], chosen: INodeParameters): Set<string> {
	return new Set(
		properties.filter((property) => belongsTo(property, chosen)).map(({ name }) => name),
	);
}

/** Returns values of other fields that show a property. */
function conditionsOf({ displayOptions }: INodeProperties): INodeParameters {
	const conditions = Object.entries(displayOptions?.show ?? {}).filter(
		([name]) => !/resource|operation/.test(name),
	);
	return Object.fromEntries(
		conditions.map(([name, values = []]) => [name, values[0]]),
	) as INodeParameters;
}

function membersOf({ options = [] }: INodeProperties, chosen: INodeParameters): INodeProperties[] {
	const members = options.filter((option): option is INodeProperties => 'type' in option);
	return members.filter((member) => belongsTo(member, chosen));
}

function choicesOf({ options = [] }: INodeProperties): string[] {
	return options.flatMap((option) => ('value' in option ? [String(option.value)] : []));
}

/** Returns a row with values that can be sent. */
function rowOf({ values }: INodePropertyCollection): INodeParameters {
	const defaults = values.map(({ name, default: value }) => [name, value] as const);
	const texts = values.filter(({ name }) => ['name', 'message'].includes(name));
	return {
		...Object.fromEntries(defaults),
		...Object.fromEntries(texts.map(({ name }) => [name, 'example'])),
	} as INodeParameters;
}

/** Returns a value as n8n stores it for a kind of field. */
function wrapped(
	{ type, modes = [] }: INodeProperties,
	value: NodeParameterValueType,
): NodeParameterValueType {
	if (type !== 'resourceLocator') return value;
	return { __rl: true, mode: modes[modes.length - 1].name, value: value as string };
}
