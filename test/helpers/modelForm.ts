/** The form of a model as n8n's editor loads and stores it, and a stand-in for the service's list of models. */
import { randomUUID } from 'node:crypto';

import type {
	IDataObject,
	INodeParameters,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { createListener, urlOf } from '../../dev/emulator/listener';
import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { listContext } from '../../dev/engine/contexts';
import { nodeOf } from '../../dev/engine/node';
import { credentialsFor, type Account } from './packageNodes';
import { model } from './inference';

interface FormRequest {
	/** The credential's Endpoint Admin URL, below which the list is. */
	listUrl: string;
	slug: string;
	/** The form's value as stored in the node. */
	parameters?: IDataObject;
	asTool?: boolean;
}

/** Calls the method that returns the form, as the editor does. */
export async function modelForm({
	listUrl,
	slug,
	parameters,
	asTool = false,
}: FormRequest): Promise<ResourceMapperFields> {
	const nodeType = new Segmind();
	if (asTool)
		nodeType.description = { ...nodeType.description, name: `${nodeType.description.name}Tool` };
	const stored = {
		resource: 'model',
		operation: 'run',
		model: model(slug),
		...(parameters && { parameters }),
	} as INodeParameters;
	const credentials = credentialsFor({
		emulator: { credentials: {}, session: {} },
		credential: { customAddresses: true, endpointAdminUrl: listUrl },
	} as unknown as Account);
	const context = listContext(nodeType, nodeOf({ parameters: stored }, nodeType), credentials);
	return await nodeType.methods.resourceMapping.modelParameters.call(context);
}

/** Returns a form's value as the editor stores it: the fields and the entered values. */
export function storedForm(schema: ResourceMapperField[], value: IDataObject): IDataObject {
	return {
		mappingMode: 'defineBelow',
		value,
		matchingColumns: [],
		schema: schema as unknown as IDataObject[],
		attemptToConvertTypes: false,
		convertFieldsToString: false,
	};
}

/** Returns the fields that a user sees or can add. */
export function visibleFields({ fields }: ResourceMapperFields): ResourceMapperField[] {
	return fields.filter(({ display }) => display);
}

/**
 * Serves a list of models below a new path, for which the nodes have cached nothing. A new port isn't enough, because the system may assign the same
 * one again.
 */
export async function listServer(
	models: unknown,
): Promise<{ url: string; calls: string[]; close(): Promise<void> }> {
	const calls: string[] = [];
	const base = `/${randomUUID()}`;
	const server = createListener((request, response) => {
		const path = request.url?.replace(base, '');
		calls.push(
			`${request.method} ${path}${request.headers['x-api-key'] === undefined ? '' : ' with a key'}`,
		);
		if (models === undefined) return void response.writeHead(503).end();
		response.setHeader('content-type', 'application/json');
		response.end(
			typeof models === 'string'
				? models
				: JSON.stringify({ 'Inference Segmind Model Information List With Details': models }),
		);
	});
	await server.listen();
	return { url: urlOf(server) + base, calls, close: async () => await server.stop() };
}
