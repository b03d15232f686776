import { findModel } from '../../nodes/shared/catalogue';
import { gradeOf } from '../base/facts';
import { alignCells } from '../demo/table';
import { LiveNodeRunner, type Target } from '../engine/liveNodeRunner';
import type { Exchange } from '../engine/wire';
import { unseen, type Check, type Probe, type Sighting } from './checks';
import { paidProbes } from './paidProbes';
import { freeProbes, profileProbe, rateLimitProbe } from './probes';
import { safeText, knownWords } from './safeText';

/** What the user allows besides the free probes: `spend` limits the sum of the built-in prices of paid requests (USD). */
export type Permissions = { spend?: number; upload?: boolean };

/** A line of the report. */
export interface Finding extends Sighting {
	probe: string;
	fact: string;
	holds: string;
	grade: string;
}

/** Returns all probes, in the order in which they run. */
export const probesFor = (accountUrls: string[], consoleUrl: string): Probe[] =>
	[freeProbes, profileProbe(accountUrls, consoleUrl), paidProbes, rateLimitProbe].flat();

/** Runs probes one after the other and returns what they found. A probe that throws is reported, and the others run. */
export async function runProbes(
	probes: readonly Probe[],
	target: Target,
	{ spend = 0, upload = false }: Permissions,
	say: (line: string) => void,
): Promise<Finding[]> {
	const findings: Finding[] = [];
	let spent = 0;
	const lab = new LiveNodeRunner(target);
	const { wire } = lab;
	for (const { name, needs, paidModel, readsAllCalls, run, checks } of probes) {
		const price = paidModel ? (findModel(paidModel.slug)?.cost ?? Infinity) : 0;
		const has = { upload, token: target.accessToken !== undefined };
		const isAllowed = (needs === undefined || has[needs]) && (!paidModel || spent + price <= spend);
		if (!isAllowed || target.signal.aborted) continue;
		spent += price;
		wire.announcedUrl =
			paidModel && lab.urlOf('baseUrl', `/${paidModel.version}/${paidModel.slug}`);
		say(`Probing ${name} …`);
		const firstCall = readsAllCalls ? 0 : wire.exchanges.length;
		const failure = await run(lab).then(
			() => undefined,
			(error: Error) => unseen(safeText`the probe failed: ${knownWords([error.name])}`),
		);
		wire.announcedUrl = undefined;
		const calls = wire.exchanges.slice(firstCall);
		for (const check of checks)
			for (const fact of check.facts.split(' ')) {
				const about = { probe: name, fact, holds: check.holds, grade: gradeOf(fact) };
				findings.push({ ...about, ...(failure ?? runCheck(check, calls)) });
			}
		// If no call got a response, the service is unreachable, and each further call would wait for a minute.
		if (calls.length > 0 && wire.exchanges.every(({ status }) => status === undefined)) break;
	}
	return findings;
}

/** Returns what a check finds. If it throws because of an unexpected response, the fact was not seen. */
function runCheck({ look }: Check, calls: readonly Exchange[]): Sighting {
	try {
		return look(calls);
	} catch {
		return unseen(safeText`the check failed`);
	}
}

/** Returns the table of findings for the terminal, and the number of findings with each verdict. */
export function tableOf(findings: readonly Finding[]): string {
	const cut = (text: string) => (text.length > 64 ? `${text.slice(0, 63)}…` : text);
	const head = ['fact', 'what we hold', 'grade', 'what was seen', 'verdict'];
	const rows = findings.map(({ fact, holds, grade, seen, verdict }) =>
		[fact, holds, grade, seen, verdict].map(cut),
	);
	const count = (word: string) => findings.filter(({ verdict }) => verdict === word).length;
	const counts = ['confirmed', 'contradicted', 'not seen'].map((word) => `${count(word)} ${word}`);
	return `${alignCells([head, ...rows])}\n\n${counts.join(', ')}.`;
}

/** Returns 1 if a specified or published fact is contradicted, 2 if nothing was confirmed, and otherwise 0. */
export function exitCodeOf(findings: readonly Finding[]): number {
	const wrong = findings.filter(({ verdict }) => verdict === 'contradicted');
	if (wrong.some(({ grade }) => grade === 'specified' || grade === 'published')) return 1;
	return findings.some(({ verdict }) => verdict === 'confirmed') ? 0 : 2;
}
