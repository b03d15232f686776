import type { Balance } from './orders';

// Removes the rounding errors from sums of prices such as 0.0055. The service reports at most ten decimal places.
const round = (value: number): number => Math.round(value * 1e10) / 1e10;

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Creates the account's credits. An amount is reserved when a request is submitted, charged if the job completes and refunded if it fails
 * (docs/service.md S40, S41). Free credits are spent first. A job may take the balance below zero.
 */
export function createLedger(start: Balance) {
	let { credits, freeCredits } = start;
	let charged = 0;
	return {
		get balance(): Balance {
			return { credits: round(credits), freeCredits: round(freeCredits) };
		},
		get charged() {
			return round(charged);
		},
		setBalance(balance: Balance): void {
			({ credits, freeCredits } = balance);
		},
		/** Reserves an amount for one job. Returns how much of it came from the credits and from the free credits. */
		reserve(amount: number): Balance {
			const free = Math.min(amount, Math.max(0, freeCredits));
			freeCredits -= free;
			credits -= amount - free;
			return { credits: amount - free, freeCredits: free };
		},
		charge(reservation: Balance): void {
			charged += reservation.credits + reservation.freeCredits;
		},
		refund(reservation: Balance): void {
			credits += reservation.credits;
			freeCredits += reservation.freeCredits;
		},
		reset(): void {
			({ credits, freeCredits } = start);
			charged = 0;
		},
	};
}
