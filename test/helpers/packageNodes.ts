import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	INodeType,
} from 'n8n-workflow';

import { SegmindApi } from '../../credentials/SegmindApi.credentials';
import { SegmindSessionApi } from '../../credentials/SegmindSessionApi.credentials';
import type { Emulator } from '../../dev/emulator';
import { CredentialStore } from '../../dev/engine/credentialStore';
import { SegmindAccount } from '../../nodes/SegmindAccount/SegmindAccount.node';
import { SegmindAsset } from '../../nodes/SegmindAsset/SegmindAsset.node';
import { SegmindCredits } from '../../nodes/SegmindCredits/SegmindCredits.node';
import { SegmindEndpoint } from '../../nodes/SegmindEndpoint/SegmindEndpoint.node';
import { SegmindFineTune } from '../../nodes/SegmindFineTune/SegmindFineTune.node';
import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { SegmindWorkflow } from '../../nodes/SegmindWorkflow/SegmindWorkflow.node';

export const ACTION_NODES = {
	segmind: Segmind,
	segmindWorkflow: SegmindWorkflow,
	segmindAsset: SegmindAsset,
	segmindCredits: SegmindCredits,
	segmindEndpoint: SegmindEndpoint,
	segmindFineTune: SegmindFineTune,
	segmindAccount: SegmindAccount,
};
export const CREDENTIAL_TYPES: ICredentialType[] = [new SegmindApi(), new SegmindSessionApi()];

/** Returns a new action node by the name of its type, made from the source files rather than from dist. */
export function actionNode(name: string): INodeType {
	return new ACTION_NODES[name as keyof typeof ACTION_NODES]();
}

/** The account that a node works with. */
export interface Account {
	emulator: Pick<Emulator, 'credentials' | 'session'> & Partial<Pick<Emulator, 'calls'>>;
	/** Replaces members of the emulator's credential. */
	credential?: IDataObject;
	/** Replaces members of the emulator's session credential. */
	session?: IDataObject;
}

/** Returns both credentials as n8n would store them. */
export function credentialsFor({ emulator, credential, session }: Account): CredentialStore {
	return new CredentialStore(CREDENTIAL_TYPES, {
		segmindApi: { ...emulator.credentials, ...credential } as ICredentialDataDecryptedObject,
		segmindSessionApi: { ...emulator.session, ...session } as ICredentialDataDecryptedObject,
	});
}
