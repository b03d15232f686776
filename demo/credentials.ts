import type {
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
	Workflow,
} from 'n8n-workflow';
import { ICredentialsHelper } from 'n8n-workflow';

/** Hands one set of values to every node that asks for a credential, where n8n would look into its database. */
export class DemoCredentials extends ICredentialsHelper {
	constructor(
		private readonly types: ICredentialType[],
		private readonly values: ICredentialDataDecryptedObject,
	) {
		super();
	}

	/** Puts the credential into a request, as its type says. */
	async authenticate(
		credential: ICredentialDataDecryptedObject,
		typeName: string,
		request: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const authenticate = this.typeOf(typeName)?.authenticate as IAuthenticateGeneric;
		const parts = request as unknown as Record<string, IDataObject>;
		for (const [part, members] of Object.entries(authenticate.properties)) {
			for (const [name, value] of Object.entries(members as IDataObject)) {
				(parts[part] ??= {})[name] = workflow.expression.getSimpleParameterValue(
					node,
					value as string,
					'internal',
					{ $credentials: credential } as never,
				) as string;
			}
		}
		return request;
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return this.values;
	}

	getCredentialsProperties(typeName: string) {
		return this.typeOf(typeName)?.properties ?? [];
	}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	async preAuthentication() {
		return undefined;
	}

	async runPreAuthentication() {
		return undefined;
	}

	getOAuth2Options() {
		return undefined;
	}

	async getCredentials(): Promise<never> {
		throw new Error('The demo has no stored credentials');
	}

	async updateCredentials() {}

	async updateCredentialsOauthTokenData() {}

	private typeOf(name: string): ICredentialType | undefined {
		return this.types.find((type) => type.name === name);
	}
}
