/** The packages that n8n provides to a node. All other packages of an engine are found beside the engine. */
const ENGINE_PACKAGES = /^(n8n-core|n8n-workflow|zod)(\/|$)/;

/** Jest resolver for the engine tests with an older n8n: our nodes and tests use the engine in the one folder that `modulePaths` lists. */
module.exports = (request, options) => {
	const [engine] = options.paths ?? [];
	const isOurs = engine !== undefined && !options.basedir.startsWith(engine);
	return options.defaultResolver(
		request,
		isOurs && ENGINE_PACKAGES.test(request) ? { ...options, basedir: engine } : options,
	);
};
