import { findModel } from '../../nodes/shared/catalogue';
import { gradeOf } from '../base/facts';
import { showProgress } from '../demo/progress';
import { aligned } from '../demo/table';
import { Lab, type Target } from '../engine/lab';
import type { Exchange } from '../engine/wire';
import { notSeen, type Check, type Probe, type Sighting } from './checks';
import { paidProbes } from './paidProbes';
import { freeProbes, profileProbe, rateLimitProbe } from './probes';
import { show, words } from './shown';

/** What is allowed beyond the free probes: paid requests, up to so much by the built-in prices (USD), and an upload. */
export type Allowed = { spend?: number; upload?: boolean };

/** A line of the report. */
export interface Finding extends Sighting {
	probe: string;
	fact: string;
	holds: string;
	grade: string;
}

/** All probes, in the order in which they run. */
export const probesFor = (accountUrls: string[], consoleUrl: string): Probe[] =>
	[freeProbes, profileProbe(accountUrls, consoleUrl), paidProbes, rateLimitProbe].flat();

/** Runs probes one after the other and returns what they found. A probe that throws is reported, and the others run. */
export async function runProbes(
	probes: readonly Probe[],
	target: Omit<Target, 'told'>,
	{ spend = 0, upload = false }: Allowed,
	say: (line: string) => void,
): Promise<Finding[]> {
	const findings: Finding[] = [];
	const width = Math.max(...probes.map(({ name }) => name.length));
	let spent = 0;
	let progress = showProgress('', 1, say);
	const lab = new Lab({ ...target, told: (message) => progress.told(withoutValues(message)) });
	const { wire } = lab;
	for (const { name, needs, pays, readsAll, run, checks } of probes) {
		const price = pays ? (findModel(pays.slug)?.cost ?? Infinity) : 0;
		const has = { upload, token: target.accessToken !== undefined, spend: spent > 0 };
		const isAllowed = (needs === undefined || has[needs]) && (!pays || spent + price <= spend);
		if (!isAllowed || target.signal.aborted) continue;
		spent += price;
		wire.announced = pays && lab.urlOf('baseUrl', `/${pays.version}/${pays.slug}`);
		progress = showProgress(name.padEnd(width), 1, say);
		const from = readsAll ? 0 : wire.exchanges.length;
		const failed = (error: Error) => notSeen(show`the probe failed: ${words([error.name])}`);
		const failure = await run(lab).then(() => undefined, failed);
		wire.announced = undefined;
		const calls = wire.exchanges.slice(from);
		progress.end(`calls: ${calls.length}`);
		for (const one of checks)
			for (const fact of one.facts.split(' ')) {
				const about = { probe: name, fact, holds: one.holds, grade: gradeOf(fact) };
				findings.push({ ...about, ...(failure ?? sightingOf(one, calls)) });
			}
		// The service is unreachable: each further call would wait for a minute.
		if (calls.length > 0 && wire.exchanges.every(({ status }) => status === undefined)) break;
	}
	return findings;
}

/** What a check says. A response that it can't handle is no sighting. */
function sightingOf({ look }: Check, calls: readonly Exchange[]): Sighting {
	try {
		return look(calls);
	} catch {
		return notSeen(show`the check failed`);
	}
}

/** What a node logs while it waits, without the ID. */
function withoutValues(message: string): string {
	const [, about, state = ''] = /^(.* request )\S+ (accepted|is \S+)$/.exec(message) ?? [];
	return `${about}(hidden) ${state.replace(/(?<=is ).*/, (word) => words([word]))}`;
}

/** The table for the terminal, and the sum of it. */
export function tableOf(findings: readonly Finding[]): string {
	const cut = (text: string) => (text.length > 64 ? `${text.slice(0, 63)}…` : text);
	const head = ['fact', 'what we hold', 'grade', 'what was seen', 'verdict'];
	const rows = findings.map(({ fact, holds, grade, seen, verdict }) =>
		[fact, holds, grade, seen, verdict].map(cut),
	);
	const count = (word: string) => findings.filter(({ verdict }) => verdict === word).length;
	const counts = ['confirmed', 'contradicted', 'not seen'].map((word) => `${count(word)} ${word}`);
	return `${aligned([head, ...rows])}\n\n${counts.join(', ')}.`;
}

/** 1 if a fact that the code depends on is contradicted, 2 if nothing could be confirmed. */
export function exitCodeOf(findings: readonly Finding[]): number {
	const wrong = findings.filter(({ verdict }) => verdict === 'contradicted');
	if (wrong.some(({ grade }) => grade === 'specified' || grade === 'published')) return 1;
	return findings.some(({ verdict }) => verdict === 'confirmed') ? 0 : 2;
}
