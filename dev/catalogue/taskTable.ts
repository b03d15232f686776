/** Makes the table of tasks in docs/nodes.md, with the price and the time of each task's default model. */
import { priceText, timeText } from '../../nodes/shared/catalogue/modelPicker';
import type { CatalogueModel } from '../../nodes/shared/catalogue/types';
import { TASKS, type Task } from '../../nodes/shared/catalogue/tasks';
import { titleOf } from '../../nodes/Segmind/taskOperations';

const HEADINGS = ['You want to', 'Operation', 'Default model', 'Cost, about', 'Time, about'];
/** The line above the table, and the table. */
const PLACE = /(<!-- The table is made by `npm run catalogue`\. -->\n\n)(?:\|.*\n)*/;

/** Returns the page with the table of these models. @throws if the page has no place for it */
export function withTaskTable(page: string, models: readonly CatalogueModel[]): string {
	if (!PLACE.test(page)) throw new Error('The page has no line that announces the table.');
	return page.replace(PLACE, (_old, line: string) => `${line}${taskTable(models)}\n`);
}

function taskTable(models: readonly CatalogueModel[]): string {
	const rows = TASKS.filter(({ makes }) => makes !== undefined).map((task) => rowOf(task, models));
	const widths = HEADINGS.map((heading, at) =>
		Math.max(heading.length, ...rows.map((row) => row[at].length)),
	);
	const lineOf = (cells: string[]) =>
		`| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
	const rule = widths.map((width) => '-'.repeat(width));
	return [HEADINGS, rule, ...rows].map(lineOf).join('\n');
}

function rowOf(task: Task, models: readonly CatalogueModel[]): string[] {
	const { description, defaultModel } = task;
	const [purpose] = description.split('. ');
	const model = models.find(({ slug }) => slug === defaultModel);
	const { title = defaultModel, cost, latencySeconds } = model ?? {};
	const time = latencySeconds === undefined ? 'unknown' : timeText(latencySeconds);
	return [
		purpose.charAt(0).toLowerCase() + purpose.slice(1),
		`_${titleOf(task)}_`,
		title,
		priceText(cost) ?? 'unknown',
		time,
	];
}
