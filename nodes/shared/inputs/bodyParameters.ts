import type { INodePropertyOptions } from 'n8n-workflow';

import { findModel, type CatalogueParameterType } from '../catalogue';
import { readStoredForm } from '../catalogue/form';
import { fieldTitle } from '../catalogue/labels';
import { promptNameOf } from '../catalogue/prompt';
import type { Task } from '../catalogue/tasks';
import type { FileKind } from '../catalogue/types';
import type { Item } from '../run/item';

/** The model that inputs are for. */
export interface TargetModel {
	slug: string;
	/** Undefined if the node's resource and operation name none. */
	task: Task | undefined;
}

/** What a run knows of a parameter. */
export interface BodyParameter {
	name: string;
	/** The label of its field in the form. */
	label?: string;
	/** Undefined if the value is sent as it is. */
	type?: CatalogueParameterType;
	list?: boolean;
	required?: boolean;
	/** The known values of a dropdown. */
	choices?: ReadonlyArray<string | number>;
}

/** What a run knows of a model's parameters. */
export interface BodyParameters {
	/** Of the model. */
	slug: string;
	promptName: string;
	isPromptRequired: boolean;
	byName: ReadonlyMap<string, BodyParameter>;
	files: readonly BodyParameter[];
	/** The name of the one for the file that the task needs; undefined if it needs none, or the model has no known one. */
	neededFile: string | undefined;
	/** The model that the stored form belongs to, if it isn't this one: after a change of model, the editor may keep the form (docs/n8n.md N283). */
	otherModel: string | undefined;
}

/**
 * Returns what is known of a model's parameters: from the form that the workflow stores for the model or, without one, from the built-in catalogue. The
 * live list isn't used, because an item must have the same body in every process.
 */
export function bodyParameters({ parameters }: Item, { slug, task }: TargetModel): BodyParameters {
	const stored = readStoredForm(parameters.stored('parameters'));
	const isStored = stored.slug === slug;
	const builtIn = findModel(slug)?.parameters ?? [];
	const all: readonly BodyParameter[] = isStored
		? stored.fields.map(({ id: name, displayName: label, required, options }) => ({
				name,
				label,
				required,
				choices: choicesIn(options),
				...stored.wireTypes.get(name),
			}))
		: builtIn;
	const promptName = (isStored ? stored.promptName : undefined) ?? promptNameOf(slug);
	const files = all.filter(({ type }) => type === 'file');
	return {
		slug,
		promptName,
		// A language model takes a conversation instead.
		isPromptRequired: builtIn.some(
			({ name, required }) => name === 'messages' || (name === promptName && required === true),
		),
		byName: new Map(all.map((parameter) => [parameter.name, parameter])),
		files,
		neededFile: neededFileOf(files, task),
		otherModel: isStored || stored.slug === '' ? undefined : stored.slug,
	};
}

function neededFileOf(files: readonly BodyParameter[], task?: Task): string | undefined {
	if (!task?.needsFile) return undefined;
	const takesKind = ({ name }: BodyParameter) => fileKindOf(name, task.uses) === task.uses;
	return (files.find(({ required }) => required) ?? files.find(takesKind))?.name;
}

/** Returns the kind of file that a parameter with this name takes; `fallback` if the name doesn't show it. */
export function fileKindOf(name: string, fallback: FileKind = 'image/'): FileKind {
	if (/video/i.test(name)) return 'video/';
	if (/image|mask|frame/i.test(name)) return 'image/';
	return /audio|voice|speech|sound/i.test(name) ? 'audio/' : fallback;
}

/** Returns the values of a dropdown, without the empty one. */
function choicesIn(options: INodePropertyOptions[] = []): Array<string | number> | undefined {
	const values = options.map(({ value }) => value);
	const choices = values.filter((value) => typeof value !== 'boolean' && value !== '');
	return choices.length > 0 ? (choices as Array<string | number>) : undefined;
}

/** Whether the editor shows the form of the model. It shows none if an expression chooses the model. */
export function isFormShown({ parameters }: Item): boolean {
	return !parameters.isExpression('model');
}

/** Names a field as the form does, without what the label adds in parentheses. */
export function labelOf({ byName }: BodyParameters, name: string): string {
	const parameter = byName.get(name) ?? { name };
	const [label] = (parameter.label ?? fieldTitle(parameter)).split(/ [($]/, 1);
	return label;
}
