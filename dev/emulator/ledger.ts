import type { Balance } from './orders';

/** What was set aside for one job, by where it came from. */
export interface Reservation {
	credits: number;
	freeCredits: number;
}

/**
 * The credit account: an amount is reserved at submit, kept when the job completes and given back
 * otherwise (docs/service.md S40, S41). Free credits are spent first. A job may take
 * the balance below zero.
 */
export interface Ledger {
	readonly balance: Balance;
	readonly charged: number;
	setBalance(balance: Balance): void;
	reserve(amount: number): Reservation;
	keep(reservation: Reservation): void;
	giveBack(reservation: Reservation): void;
	reset(balance: Balance): void;
}

// Sums of prices such as 0.0055 would show binary noise; the service tells at most ten places.
const round = (value: number): number => Math.round(value * 1e10) / 1e10;

export function createLedger(start: Balance): Ledger {
	let credits = start.credits;
	let freeCredits = start.freeCredits;
	let charged = 0;
	return {
		get balance() {
			return { credits: round(credits), freeCredits: round(freeCredits) };
		},
		get charged() {
			return round(charged);
		},
		setBalance(balance) {
			credits = balance.credits;
			freeCredits = balance.freeCredits;
		},
		reserve(amount) {
			const free = Math.min(amount, Math.max(0, freeCredits));
			freeCredits -= free;
			credits -= amount - free;
			return { credits: amount - free, freeCredits: free };
		},
		keep(reservation) {
			charged += reservation.credits + reservation.freeCredits;
		},
		giveBack(reservation) {
			credits += reservation.credits;
			freeCredits += reservation.freeCredits;
		},
		reset(balance) {
			credits = balance.credits;
			freeCredits = balance.freeCredits;
			charged = 0;
		},
	};
}
