/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Locator, Page } from 'playwright-core';

import { ensureDebianPackages } from '../../dev/n8n/debianPackages';

const FFMPEG = '/usr/bin/ffmpeg';
/** How long a frame is shown at most, so that the recording doesn't show a busy computer wait. */
const MAX_FRAME_S = 0.5;
/** How long the last frame is shown. */
const END_S = 3;

/** Frames of a page as Chromium paints them, each with the time at which it was painted, s. */
export class Recording {
	private readonly frames: Array<{ png: Buffer; at: number }> = [];

	private constructor(private readonly stop: () => Promise<void>) {}

	static async start(page: Page): Promise<Recording> {
		await ensureDebianPackages([{ name: 'ffmpeg', isThere: () => existsSync(FFMPEG) }], () => {});
		const chromium = await page.context().newCDPSession(page);
		const recording = new Recording(async () => void (await chromium.send('Page.stopScreencast')));
		chromium.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
			const at = metadata.timestamp ?? Date.now() / 1000;
			recording.frames.push({ png: Buffer.from(data, 'base64'), at });
			void chromium.send('Page.screencastFrameAck', { sessionId });
		});
		await chromium.send('Page.startScreencast', { format: 'png' });
		return recording;
	}

	/** Ends it and writes it as an animated WebP of that width, px. */
	async save(path: string, width: number): Promise<void> {
		await this.stop();
		const folder = await mkdtemp(join(tmpdir(), 'recording-'));
		// Some still arrive.
		const frames = [...this.frames];
		const last = frames.length - 1;
		const lines = ['ffconcat version 1.0'];
		for (const [at, frame] of frames.entries()) {
			await writeFile(join(folder, `${at}.png`), frame.png);
			const seconds = at === last ? END_S : Math.min(frames[at + 1].at - frame.at, MAX_FRAME_S);
			lines.push(`file ${at}.png`, `duration ${seconds.toFixed(3)}`);
		}
		await writeFile(join(folder, 'frames'), lines.join('\n'));
		const picture = ['-vf', `fps=8,scale=${width}:-1`, '-loop', '0', '-quality', '70'];
		await promisify(execFile)(FFMPEG, ['-y', '-i', join(folder, 'frames'), ...picture, path]);
		await rm(folder, { recursive: true });
	}
}

/** Shows the pointer, which Chromium leaves out of what it paints. Before the page is opened. */
export async function showPointer(page: Page): Promise<void> {
	await page.addInitScript(`
		addEventListener('DOMContentLoaded', () => {
			const pointer = document.createElement('div');
			pointer.style.cssText = 'position:fixed;z-index:2147483647;width:22px;height:22px;margin:-11px;border-radius:50%;' +
				'background:rgba(255,90,60,.55);border:2px solid #fff;pointer-events:none;left:50%;top:50%';
			document.documentElement.append(pointer);
			addEventListener('mousemove', ({ clientX, clientY }) => {
				pointer.style.left = clientX + 'px';
				pointer.style.top = clientY + 'px';
			}, true);
		});
	`);
}

/** Moves there as a hand would, and clicks. */
export async function moveAndClick(page: Page, where: Locator): Promise<void> {
	await where.waitFor();
	const box = await where.boundingBox();
	if (!box) throw new Error('nothing to point at');
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 20 });
	await page.waitForTimeout(300);
	await where.click();
}
