import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeParameters,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';

/** Evaluates the expressions of a credential for an item, as n8n does. */
function evaluatedFor(
	data: ICredentialDataDecryptedObject,
	resolving: ICredentialsExpressionResolveValues,
): ICredentialDataDecryptedObject {
	const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = resolving;
	return workflow.expression.getParameterValue(
		data as INodeParameters,
		runExecutionData,
		runIndex,
		itemIndex,
		node.name,
		connectionInputData,
		'internal',
		{},
		undefined,
		false,
		data,
	) as ICredentialDataDecryptedObject;
}

/** Credentials in memory that behave like those of n8n's own CredentialsHelper, for the demo and the engine tests. */
export class CredentialStore extends ICredentialsHelper {
	/** `data`: the values of credentials by type name. Renewed tokens are stored in it. */
	constructor(
		private readonly types: ICredentialType[],
		readonly data: Record<string, ICredentialDataDecryptedObject>,
	) {
		super();
	}

	getParentTypes() {
		return [];
	}

	getCredentialsProperties(name: string) {
		return this.types.find((type) => type.name === name)?.properties ?? [];
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	) {
		const { authenticate } = this.types.find((type) => type.name === typeName) ?? {};
		// Our credentials have functions. n8n's own may have templates, which aren't evaluated here.
		return typeof authenticate === 'function' ? await authenticate(credentials, options) : options;
	}

	/** Runs a credential's preAuthentication if its hidden expirable property is empty or was rejected, and stores what it returns. */
	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	) {
		const type = this.types.find(({ name }) => name === typeName);
		const expirableProperty = type?.properties.find(
			(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
		);
		if (expirableProperty === undefined || type?.preAuthentication === undefined) return undefined;
		if (credentials[expirableProperty.name] !== '' && !credentialsExpired) return undefined;
		const output = await type.preAuthentication.call(helpers, credentials);
		if (output[expirableProperty.name] === undefined || !node.credentials) return undefined;
		Object.assign(credentials, output);
		this.data[typeName] = { ...credentials };
		return credentials;
	}

	async runPreAuthentication() {
		return undefined;
	}

	async getDecrypted(
		_data: unknown,
		_credentials: unknown,
		type: string,
		_mode?: unknown,
		_executeData?: unknown,
		_raw?: boolean,
		resolving?: ICredentialsExpressionResolveValues,
	) {
		// Like n8n, returns a new object each time, without the fields that the editor doesn't show.
		const properties = this.getCredentialsProperties(type);
		const data = NodeHelpers.getNodeParameters(
			properties,
			this.data[type] as INodeParameters,
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
		return resolving ? evaluatedFor(data, resolving) : data;
	}

	async getCredentials(): Promise<never> {
		throw new Error('not used');
	}

	async updateCredentials() {}

	async updateCredentialsOauthTokenData() {}

	getOAuth2Options() {
		return undefined;
	}

	isCredentialUsableByNode() {
		return true;
	}
}
