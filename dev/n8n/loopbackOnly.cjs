// Loaded into n8n before its own code: a connection to anything but loopback is refused, and told in n8n's output.
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
