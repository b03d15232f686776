const CODE =
	"module.exports = globalThis[Symbol.for('segmind.createRequire')](__filename)(__filename);";

/** Jest transformer for files of packages: Node loads them itself, and what they load, once a worker (environment.ts). */
module.exports = {
	getCacheKey: () => CODE,
	process: () => ({ code: CODE }),
};
