/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Processor time of this process while some work runs, ms: unlike real time, what else the computer does hardly changes it. */
export function processorMsOf(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}
