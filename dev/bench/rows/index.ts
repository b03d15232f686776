import type { Row } from '../row';
import { batch } from './batch';
import { bigFiles } from './bigFiles';
import { detection } from './detection';
import { footprint } from './footprint';
import { instantCalls } from './instantCalls';
import { processes } from './processes';
import { rateLimits } from './rateLimits';
import { retries } from './retries';
import { scale } from './scale';
import { simulatedLimits } from './simulatedLimits';
import { stop } from './stop';
import { usualTime } from './usualTime';

/** All rows, in the order in which they are run and shown. */
export const rows: readonly Row[] = [
	batch,
	detection,
	usualTime,
	rateLimits,
	simulatedLimits,
	processes,
	retries,
	stop,
	bigFiles,
	instantCalls,
	footprint,
	scale,
];
