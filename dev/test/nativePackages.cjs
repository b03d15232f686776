/** Jest transformer for files of packages: Node loads them itself, and what they load, once a worker. */
module.exports = {
	getCacheKey: () => 'native',
	process: () => ({
		code: "module.exports = process.getBuiltinModule('node:module').createRequire(__filename)(__filename);",
	}),
};
