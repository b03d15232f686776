const CODE =
	"module.exports = globalThis[Symbol.for('segmind.createRequire')](__filename)(__filename);";

/** Jest transformer for the files of packages: Node.js loads them, and what they require, once per worker (environment.ts). */
module.exports = {
	getCacheKey: () => CODE,
	process: () => ({ code: CODE }),
};
