import { timeOf } from '../../nodes/shared/service/serviceTime';

test.each<[unknown, number | undefined]>([
	['2026-01-02T03:04:05', Date.UTC(2026, 0, 2, 3, 4, 5)],
	['2026-01-02T03:04:05+01:00', Date.UTC(2026, 0, 2, 2, 4, 5)],
	['2026-01-02 03:04:05.25+00', Date.UTC(2026, 0, 2, 3, 4, 5, 250)],
	['Fri, 02 Jan 2026 03:04:05 GMT', Date.UTC(2026, 0, 2, 3, 4, 5)],
	['Fri Jan 02 2026 03:04:05 GMT+0000 (Coordinated Universal Time)', Date.UTC(2026, 0, 2, 3, 4, 5)],
	[1_767_323_045, Date.UTC(2026, 0, 2, 3, 4, 5)],
	['1767323045000', Date.UTC(2026, 0, 2, 3, 4, 5)],
	// Times that Date can't represent, times before 1970, and values that aren't times.
	[1e300, undefined],
	[Infinity, undefined],
	['1969-12-31T23:59:59', undefined],
	[{ toString: [] }, undefined],
	// Epoch microseconds, and a day alone.
	[1_767_323_045_000_000, undefined],
	['2026-01-02', undefined],
	['01/02/2026, 10:00:00', undefined],
])('the time in %j is %p', (given, at) => {
	expect(timeOf(given)).toBe(at);
});
