/** An endpoint that tests create: the node's parameters, and the body that the node sends (`ENDPOINT_WIRE`). */
export const ENDPOINT = {
	endpointName: 'mine',
	modelName: 'flux-dev',
	workersMin: 0,
	workersMax: 2,
	idleTimeout: 5,
	executionTimeout: 600,
	scalerValue: 4,
};

export const ENDPOINT_WIRE = {
	endpoint_name: 'mine',
	model_name: 'flux-dev',
	workers_min: 0,
	workers_max: 2,
	scaler_type: 'REQUEST_COUNT',
	scaler_value: 4,
	idle_timeout: 5,
	execution_timeout: 600,
	gpu_id: 'AMPERE_80',
};
