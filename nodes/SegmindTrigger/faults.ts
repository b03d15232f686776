import { isPassingFault } from './pollSession';

/** So many polls in a row may meet a passing fault before it is shown; then it is shown at every doubling. */
const PATIENCE = 5;

/**
 * Whether a fault of a poll becomes a failed execution. Pure. One that passes by itself does not, until it lasts. At a first poll every fault
 * does: without having noted down what is there, nothing can be told from it later.
 */
export function faultOf(
	error: unknown,
	before: number,
	first: boolean,
): { shown: boolean; inARow: number } {
	if (!isPassingFault(error)) return { shown: true, inARow: 0 };
	const inARow = before + 1;
	return { shown: first || isShownAt(inARow), inARow };
}

function isShownAt(inARow: number): boolean {
	let at = PATIENCE;
	while (at < inARow) at *= 2;
	return at === inARow;
}
