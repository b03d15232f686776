import { badInput } from '../errors/failures';
import { say } from '../errors/say';
import { evaluationFailure } from '../parameters/evaluation';
import type { Item } from '../run/item';
import type { RunSession } from '../run/session';

/**
 * Makes sure that an item has the run's credential, which is the first item's: an expression in the credential may choose another one for each item, whose
 * owner would pay.
 * @throws SegmindFailure if the key or an address differs from the first item's
 */
export async function assertSameCredential(item: Item<RunSession>): Promise<void> {
	if (item.index === 0 || (await hasSameCredential(item))) return;
	// A refresh of the session between the two readings makes them differ once.
	if (await hasSameCredential(item)) return;
	throw badInput({
		what: say`This item has another credential than the first item`,
		todo: say`All items of a run have one credential. Add the node Loop Over Items with a batch size of 1 before this node.`,
	});
}

async function hasSameCredential({ session, index }: Item<RunSession>): Promise<boolean> {
	try {
		const own = session.credentialOf(index);
		const first = session.credentialOf(0);
		return (await own) === (await first);
	} catch (error) {
		throw evaluationFailure({ label: 'the credential', isSecret: true }, error, session.redact);
	}
}
