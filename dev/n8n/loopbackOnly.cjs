// Loaded into n8n before its own code, and by each test file: a connection to anything but loopback is refused, and told on stderr.
const http = require('node:http');
const https = require('node:https');
const { Socket } = require('node:net');

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/;
const GUARDED = Symbol.for('segmind.loopbackOnly');
const { connect } = Socket.prototype;

function connectToLoopback(...words) {
	const [first] = Array.isArray(words[0]) ? words[0] : words;
	const { host, path } = typeof first === 'object' ? first : { host: words[1] };
	if (path === undefined && host && !LOOPBACK.test(host)) {
		process.stderr.write(`left loopback: ${host}\n`);
		process.nextTick(() => this.destroy(new Error(`${host} is not on loopback`)));
		return this;
	}
	return connect.apply(this, words);
}

// Calls of the services that recipes use beside Segmind go to what stands in for them (otherServices.ts), plain.
const STOOD_FOR = /^(slack\.com|files\.slack\.com|sheets\.googleapis\.com|www\.googleapis\.com)$/;
const port = process.env.OTHER_SERVICES_PORT;
const { request } = https;

function requestStandIn(options, ...rest) {
	const host = options.hostname ?? options.host;
	if (!port || !STOOD_FOR.test(host)) return request.call(this, options, ...rest);
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

// Test files share these modules: one that wrapped them anew would keep all that an earlier one had loaded.
if (!Socket.prototype[GUARDED]) {
	Socket.prototype[GUARDED] = true;
	Socket.prototype.connect = connectToLoopback;
	https.request = requestStandIn;
}
