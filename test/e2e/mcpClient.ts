import type { IDataObject } from 'n8n-workflow';

interface McpResponse {
	result?: {
		tools?: Array<{ name: string; inputSchema: { properties?: object } }>;
		content?: Array<{ text: string }>;
	};
	error?: { message: string };
}

/** Connects to an MCP server by Streamable HTTP, as a desktop client does. @throws Error with the status if the server rejects a call */
export async function mcpClient(url: string, token: string) {
	let sessionId: string | undefined;
	let lastId = 0;
	const post = async (message: object): Promise<string> => {
		const response = await fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				authorization: `Bearer ${token}`,
				...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', ...message }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${response.status}: ${text}`);
		sessionId ??= response.headers.get('mcp-session-id') ?? undefined;
		return text;
	};
	const request = async (method: string, params: object) => {
		const text = await post({ id: ++lastId, method, params });
		// The response is JSON, or the data of one server-sent event.
		const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
		const { result, error } = JSON.parse(json) as McpResponse;
		if (error) throw new Error(error.message);
		return result ?? {};
	};
	await request('initialize', {
		protocolVersion: '2025-03-26',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	});
	await post({ method: 'notifications/initialized' });
	return {
		/** Returns the name of each tool, and the names of its arguments. */
		async listTools() {
			const { tools = [] } = await request('tools/list', {});
			return tools.map(({ name, inputSchema }): [string, string[]] => [
				name,
				Object.keys(inputSchema.properties ?? {}),
			]);
		},
		/** Calls a tool. Returns its first item. */
		async call(name: string, args: object): Promise<IDataObject> {
			const { content = [] } = await request('tools/call', { name, arguments: args });
			const items = JSON.parse(content[0].text) as IDataObject | IDataObject[];
			return [items].flat()[0];
		},
	};
}
