/** The packages that n8n provides to a node. All other packages of an engine are found beside the engine. */
const OF_THE_ENGINE = /^(n8n-core|n8n-workflow|zod)(\/|$)/;

/** Jest resolver for the engine tests with an older n8n: our files, nodes and tests alike, use the engine in the only folder of `modulePaths`. */
module.exports = (request, options) => {
	const [engine] = options.paths ?? [];
	const isOurs = engine !== undefined && !options.basedir.startsWith(engine);
	return options.defaultResolver(
		request,
		isOurs && OF_THE_ENGINE.test(request) ? { ...options, basedir: engine } : options,
	);
};
