/**
 * Loaded before everything else in the process that measures. Makes all code, here and in dist, use the modules of the installed n8n (whose start
 * script is in SEGMIND_BENCH_N8N) instead of the n8n modules in this repository.
 */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const installed = createRequire(process.env.SEGMIND_BENCH_N8N);
const modules = new URL('../', pathToFileURL(installed.resolve('n8n-core/package.json'))).href;

registerHooks({
	resolve(name, context, next) {
		const isTheirs = context.parentURL?.startsWith(modules) ?? false;
		if (isTheirs || !/^(n8n[-/]|@n8n\/|zod$)/.test(name)) return next(name, context);
		const { href: url } = pathToFileURL(installed.resolve(name));
		return { url, format: 'commonjs', shortCircuit: true };
	},
});
