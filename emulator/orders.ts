import type { EmulatorOptions, Orders } from './types';

export const defaultKey = 'SG_0123456789abcdef';

export const defaultOrders: Orders = {
	queueMs: 50,
	jobMs: 300,
	v1Ms: null,
	cost: null,
	balance: { credits: 100, freeCredits: 0 },
	noCreditRecord: false,
	rateLimit: null,
	recordMs: 3_600_000,
	fileMs: 7 * 24 * 3_600_000,
	history: true,
	historyRecord: 'record',
	historyBody: 'object',
	modelList: true,
	uploadAnswer: 'urls',
	resultShape: null,
	metrics: 'full',
	progressWord: null,
	foreignUrls: false,
	failWhen: null,
	failJobs: [],
	failText: 'The model could not process this input.',
	failedStatus: 422,
	failedError: 'default',
	v1Shape: null,
	v1ContentType: null,
	workflowOutput: 'text',
	workflowUrls: 'all',
	deniedModels: [],
	media: 'tiny',
	fileBytes: null,
};

/** Changes the named orders and leaves those given as undefined alone. Throws on a name that is no order. */
export function applyOrders(orders: Orders, changes: Partial<Orders>): void {
	for (const [name, value] of Object.entries(changes)) {
		if (!(name in defaultOrders)) {
			throw new Error(`No such order: "${name}". Orders are ${Object.keys(defaultOrders).join(', ')}.`);
		}
		if (value !== undefined) Object.assign(orders, { [name]: value });
	}
}

/** The orders among the start options, on top of the defaults. */
export function initialOrders(options: EmulatorOptions): Orders {
	const orders = { ...defaultOrders };
	const { port: _port, key: _key, clock: _clock, ...changes } = options;
	applyOrders(orders, changes);
	return orders;
}
