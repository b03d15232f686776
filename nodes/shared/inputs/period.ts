import { tryToParseDateTime, type INodeProperties } from 'n8n-workflow';

import { isBlank } from '../base/text';
import { wrongInput, wrongState } from '../errors/failures';
import { say } from '../errors/say';
import type { Item } from '../run/item';
import { DAY_MS } from '../service/history';
import type { Period } from '../service/historyRequests';
import { isObject } from '../service/schemas';

/** Longest period that is read. */
const MAX_PERIOD_MS = 3 * 365 * DAY_MS;

/** The fields for the period of an operation on the request history. */
export const periodFields: INodeProperties[] = [
	{
		displayName: 'From Date',
		name: 'fromDate',
		type: 'dateTime',
		default: '',
		description:
			'Start of the period, at most three years before its end. The default is 30 days before its end.',
	},
	{
		displayName: 'To Date',
		name: 'toDate',
		type: 'dateTime',
		default: '',
		description: 'End of the period. The default is now.',
	},
];

/**
 * Reads From Date and To Date of an item, at most three years apart.
 * @throws SegmindFailure if one isn't a date, or From Date is after To Date
 */
export function readPeriod(item: Item): Period {
	const { run, index, parameters } = item;
	const { startedAt } = run;
	const toDate = readDateField(item, 'toDate');
	const from = readDateField(item, 'fromDate') ?? (toDate ?? startedAt) - 30 * DAY_MS;
	if (from > (toDate ?? startedAt))
		throw wrongState(
			parameters.label('fromDate'),
			`after ${parameters.label('toDate')}`,
			'before it',
		);
	// No request is made in the future, but the service's clock may be ahead.
	const latest = startedAt + DAY_MS;
	const end = Math.min(toDate ?? latest, Math.max(from, latest));
	if (from >= end - MAX_PERIOD_MS) return { from, to: end };
	const text = say`From Date is more than three years before To Date, so only the three years before To Date were read.`;
	run.events.addHint({ item: index, text });
	return { from: end - MAX_PERIOD_MS, to: end };
}

/** Reads the time in a date field, in ms since the epoch; undefined if it's empty. A value without a time zone is in the workflow's time zone. */
function readDateField({ run, parameters }: Item, name: string): number | undefined {
	const given = parameters.value(name);
	if (isBlank(given)) return undefined;
	const at = parseTime(given, run.context.getTimezone());
	// The service accepts only years with four digits.
	if (at !== undefined && at >= Date.UTC(1_000, 0) && at < Date.UTC(9_999, 0)) return at;
	throw wrongInput(
		parameters.label(name),
		given,
		'a date in the format YYYY-MM-DD, for example 2026-12-31, perhaps with a time, such as 2026-12-31T18:00',
	);
}

/** Reads ISO text, a Luxon DateTime or a Date. Other texts aren't certain: 05/11/2026 may be a day in May or in November. */
function parseTime(given: unknown, timezone: string): number | undefined {
	const time = isObject(given) ? given : isoTimeIn(given);
	if (time === undefined) return undefined;
	try {
		return tryToParseDateTime(time, timezone).toMillis();
	} catch {
		return undefined;
	}
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/;

/** Returns the ISO text of a day, perhaps with a time; undefined for anything else, and for a day that doesn't exist. */
function isoTimeIn(given: unknown): string | undefined {
	const text = typeof given === 'string' ? given.trim() : '';
	const [, day] = ISO_TIME.exec(text) ?? [];
	const at = new Date(`${day}T00:00:00Z`);
	// `Date` makes 2 March of 30 February.
	const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${day}T`);
	return isDay ? text.replace(' ', 'T') : undefined;
}
