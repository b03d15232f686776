/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { findModel } from '../../nodes/shared/catalogue';
import { ROOT } from '../base/project';
import { showProgress } from '../demo/progress';
import { notSeen, type Probe, type Sighting } from './checks';
import { Lab, type Target } from './lab';
import { show, words } from './shown';

/** What is allowed beyond the free probes. */
export interface Allowed {
	/** Most that the paid requests may cost together by the built-in prices, USD. */
	spend?: number;
	upload?: boolean;
}

/** A line of the report. */
export interface Finding extends Sighting {
	probe: string;
	fact: string;
	holds: string;
	grade: string;
}

/** Runs probes one after the other and gives what they found. One that throws is reported, and the rest goes on. */
export async function runProbes(
	probes: readonly Probe[],
	target: Omit<Target, 'told'>,
	allowed: Allowed,
	say: (line: string) => void,
): Promise<Finding[]> {
	const findings: Finding[] = [];
	const width = Math.max(...probes.map(({ name }) => name.length));
	let spent = 0;
	let progress = showProgress('', 1, say);
	const lab = new Lab({ ...target, told: (message) => progress.told(withoutValues(message)) });
	const { exchanges } = lab.wire;
	for (const { name, pays, readsAll, checks, ...probe } of probes) {
		if (target.signal.aborted) break;
		const price = pays ? (findModel(pays.slug)?.cost ?? Infinity) : 0;
		const isAllowed =
			(pays === undefined || spent + price <= (allowed.spend ?? 0)) &&
			(probe.needs !== 'upload' || allowed.upload === true) &&
			(probe.needs !== 'token' || target.accessToken !== undefined);
		if (!isAllowed) continue;
		spent += price;
		lab.wire.announced = pays && lab.urlOf('baseUrl', `/${pays.version}/${pays.slug}`);
		progress = showProgress(name.padEnd(width), 1, say);
		const from = readsAll ? 0 : exchanges.length;
		const fault = await probe.run(lab).then(
			() => undefined,
			(error: Error) => notSeen(show`the probe failed: ${words([error.name])}`),
		);
		lab.wire.announced = undefined;
		const calls = exchanges.slice(from);
		progress.end(`${calls.length} calls`);
		for (const { facts, holds, look } of checks)
			for (const fact of facts.split(' ')) {
				const sighting = fault ?? look(calls);
				findings.push({ probe: name, fact, holds, grade: gradeOf(fact), ...sighting });
			}
	}
	return findings;
}

/** What a node tells while it waits, without the ID. */
function withoutValues(message: string): string {
	const [, about, word] =
		/^(Segmind, item \d+: request )\S+ (?:accepted|is (\S+))$/.exec(message) ?? [];
	return `${about}(ID) ${word === undefined ? 'accepted' : `is ${words([word])}`}`;
}

const facts = readFileSync(join(ROOT, 'docs/service.md'), 'utf8').split('\n');

/** The grade of a fact, as docs/service.md has it: in brackets after the ID, or in the last cell of a row. */
export function gradeOf(fact: string): string {
	const line = facts.find((one) => one.includes(`**${fact}**`)) ?? '';
	const text = line.startsWith('|') ? line.split('|').at(-2) : line.split('(')[1];
	return /specified|published|observed|guessed/.exec(text ?? '')?.[0] ?? 'unknown';
}
