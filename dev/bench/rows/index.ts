import type { Row } from '../row';
import { batch } from './batch';
import { bigFiles } from './bigFiles';
import { detection } from './detection';
import { footprint } from './footprint';
import { instantCalls } from './instantCalls';
import { rateLimits } from './rateLimits';
import { retries } from './retries';
import { scale } from './scale';
import { stop } from './stop';

/** In the order of design.md section 5; scale is beside it. */
export const rows: readonly Row[] = [
	batch,
	detection,
	rateLimits,
	retries,
	stop,
	bigFiles,
	instantCalls,
	footprint,
	scale,
];
