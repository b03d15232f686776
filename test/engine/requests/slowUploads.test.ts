/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** A slow upload continues as long as it makes progress. */
import { Readable } from 'node:stream';

import { sleep, type INodeParameters } from 'n8n-workflow';

import { binaryData } from '../../../dev/engine/version';
import { storedFile, useBinariesOnDisk, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

useBinariesOnDisk();
afterEach(() => jest.restoreAllMocks());
const PIECES = 20;

/** Stores a file, and makes n8n's store return three bytes of it per interval, as if the store were slow. */
async function slowFile(everyMs: number) {
	const item = await storedFile(Buffer.alloc(3 * PIECES, 'x'), 'a.zip', 'application/zip');
	const slowly = async function* () {
		for (let at = 0; at < PIECES; at++) {
			if (at > 0) await sleep(everyMs);
			yield Buffer.from('xxx');
		}
	};
	jest
		.spyOn(binaryData(), 'getAsStream')
		.mockImplementation(async () => Readable.from(slowly(), { objectMode: false }));
	return item;
}
const UPLOADS: Array<[string, string, INodeParameters]> = [
	['an asset', 'segmindAsset', { operation: 'upload', binaryFields: 'data' }],
	[
		'a dataset',
		'segmindFineTune',
		{ resource: 'dataset', operation: 'upload', binaryField: 'data' },
	],
];

test.each(UPLOADS)(
	'%s is uploaded as long as it makes progress, even beyond the usual timeout of a call',
	async (_what, node, parameters) => {
		const items = [await slowFile(45_000)];
		succeed(await runNode({ node, parameters, items }));
		expect(emulator.calls.filter(({ method }) => method !== 'GET')).toHaveLength(1);
	},
);
