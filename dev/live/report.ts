import { aligned } from '../demo/table';
import type { Finding } from './live';

/** The code depends on facts of these grades. */
const RELIED_ON = ['specified', 'published'];
/** Longest cell, characters. */
const WIDEST = 64;

/** The table for the terminal, and the sum of it. */
export function textOf(findings: readonly Finding[]): string {
	const cut = (text: string) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text);
	const rows = findings.map(({ fact, holds, grade, seen, verdict }) =>
		[fact, holds, grade, seen, verdict].map(cut),
	);
	const counts = ['confirmed', 'contradicted', 'not seen'].map(
		(word) => `${findings.filter(({ verdict }) => verdict === word).length} ${word}`,
	);
	const head = ['fact', 'what we hold', 'grade', 'what was seen', 'verdict'];
	return `${aligned([head, ...rows])}\n\n${counts.join(', ')}.`;
}

/** The content of live-report.json: members that are named here, of texts that may be shown. */
export function reportOf(findings: readonly Finding[], versions: Record<string, string>): string {
	const date = new Date().toISOString().slice(0, 10);
	const lines = findings.map(({ probe, fact, holds, grade, seen, verdict }) =>
		JSON.stringify({ probe, fact, holds, grade, seen, verdict }),
	);
	const head = JSON.stringify({ date, ...versions }).slice(0, -1);
	return `${head},"findings":[\n${lines.join(',\n')}\n]}\n`;
}

/** 1 if a fact that the code depends on is contradicted, 2 if nothing could be confirmed. */
export function exitCodeOf(findings: readonly Finding[]): number {
	const isWrong = ({ verdict, grade }: Finding) =>
		verdict === 'contradicted' && RELIED_ON.includes(grade);
	if (findings.some(isWrong)) return 1;
	return findings.some(({ verdict }) => verdict === 'confirmed') ? 0 : 2;
}
