// Loaded into n8n before n8n's own code, and by each test file. Prevents connections to anything but loopback, and reports them: on stderr, and to
// listeners of the process (dev/test/staysOnLoopback.ts).
const http = require('node:http');
const https = require('node:https');
const { Socket } = require('node:net');

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/;
const GUARDED = Symbol.for('segmind.loopbackOnly');
const { connect } = Socket.prototype;

function connectToLoopback(...args) {
	const [first] = Array.isArray(args[0]) ? args[0] : args;
	const { host, path } = typeof first === 'object' ? first : { host: args[1] };
	if (path === undefined && host && !LOOPBACK.test(host)) {
		process.stderr.write(`left loopback: ${host}\n`);
		process.emit('leftLoopback', host);
		process.nextTick(() => this.destroy(new Error(`${host} is not on loopback`)));
		return this;
	}
	return connect.apply(this, args);
}

// Calls to the services that recipes use besides Segmind go to their stand-in (otherServices.ts), over plain HTTP.
const STAND_IN_HOSTS =
	/^(slack\.com|files\.slack\.com|sheets\.googleapis\.com|www\.googleapis\.com)$/;
const port = process.env.OTHER_SERVICES_PORT;
const { request } = https;

function requestStandIn(options, ...rest) {
	const host = options.hostname ?? options.host;
	if (!port || !STAND_IN_HOSTS.test(host)) return request.call(this, options, ...rest);
	const headers = { ...options.headers, host };
	return http.request(
		{
			...options,
			protocol: 'http:',
			hostname: '127.0.0.1',
			host: '127.0.0.1',
			port,
			agent: undefined,
			headers,
		},
		...rest,
	);
}

// Test files share Node's modules. If each test file wrapped them again, the wrappers would keep everything that earlier test files loaded in memory.
if (!Socket.prototype[GUARDED]) {
	Socket.prototype[GUARDED] = true;
	Socket.prototype.connect = connectToLoopback;
	https.request = requestStandIn;
}
