import type { Results } from './results';
export async function drawChart(_results: Results): Promise<Buffer> { return Buffer.alloc(0); }
