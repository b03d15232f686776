/** What n8n itself gives to a node; the rest of an engine's packages is found beside the engine. */
const OF_THE_ENGINE = /^(n8n-core|n8n-workflow|zod)(\/|$)/;

/** Jest resolver for the engine tests on an older n8n: our files, nodes and tests alike, get the engine in the one folder of `modulePaths`. */
module.exports = (request, options) => {
	const [engine] = options.paths ?? [];
	const isOurs = engine !== undefined && !options.basedir.startsWith(engine);
	return options.defaultResolver(
		request,
		isOurs && OF_THE_ENGINE.test(request) ? { ...options, basedir: engine } : options,
	);
};
