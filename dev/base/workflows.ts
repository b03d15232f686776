/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IConnections, INode, IWorkflowSettings } from 'n8n-workflow';

import { ROOT } from './project';

/** A workflow as n8n exports and imports it, with the members that this repository uses. */
export interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: object;
}

const EXAMPLES = join(ROOT, 'examples');

/** Returns the names of the files in examples/. */
export function exampleFiles(): string[] {
	return readdirSync(EXAMPLES).sort();
}

/** Reads an example by the name of its file. Each call returns a new object. */
export function readExample(file: string): WorkflowFile {
	return JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowFile;
}
