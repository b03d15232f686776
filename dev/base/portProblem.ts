/** In words, when an error is about a port. */
export function portProblem(error: unknown): string | undefined {
	const { code, port } = error as { code?: string; port?: number };
	if (code === 'EADDRINUSE')
		return `Port ${port} is taken: choose another first port with --port, or --port 0 for any free ones.`;
	if (code === 'EACCES')
		return `Port ${port} may not be opened by this user: choose a --port above 1023.`;
	return undefined;
}
