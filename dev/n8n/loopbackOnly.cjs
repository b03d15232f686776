// Loaded into n8n before its own code: a connection to anything but loopback is refused, and told in n8n's output.
const http = require('node:http');
const https = require('node:https');
const { Socket } = require('node:net');

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/;
const { connect } = Socket.prototype;

Socket.prototype.connect = function (...words) {
	const [first] = Array.isArray(words[0]) ? words[0] : words;
	const { host, path } = typeof first === 'object' ? first : { host: words[1] };
	if (path === undefined && host && !LOOPBACK.test(host)) {
		process.stderr.write(`left loopback: ${host}\n`);
		process.nextTick(() => this.destroy(new Error(`${host} is not on loopback`)));
		return this;
	}
	return connect.apply(this, words);
};

// Calls of the services that recipes use beside Segmind go to what stands in for them (otherServices.ts), plain.
const STOOD_FOR = /^(slack\.com|files\.slack\.com|sheets\.googleapis\.com|www\.googleapis\.com)$/;
const port = process.env.OTHER_SERVICES_PORT;
const { request } = https;

https.request = function (options, ...rest) {
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
};
