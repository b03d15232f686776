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
/** How long a frame is shown at most, so that waits on a busy computer don't lengthen the recording. */
const MAX_FRAME_S = 0.5;
/** How long the last frame is shown. */
const END_S = 3;

/** Records the frames of a page as Chromium paints them. */
export class Recording {
	/** `at` is the time at which the frame was painted, s. */
	private readonly frames: Array<{ png: Buffer; at: number }> = [];

	private constructor(private readonly stop: () => Promise<void>) {}

	static async start(page: Page): Promise<Recording> {
		await ensureDebianPackages(
			[{ name: 'ffmpeg', isInstalled: () => existsSync(FFMPEG) }],
			() => {},
		);
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

	/** Ends the recording and saves it as an animated WebP of this width, px. */
	async save(path: string, width: number): Promise<void> {
		await this.stop();
		const folder = await mkdtemp(join(tmpdir(), 'recording-'));
		// More frames may still arrive.
		const frames = [...this.frames];
		const last = frames.length - 1;
		const lines = ['ffconcat version 1.0'];
		for (const [index, frame] of frames.entries()) {
			await writeFile(join(folder, `${index}.png`), frame.png);
			const seconds =
				index === last ? END_S : Math.min(frames[index + 1].at - frame.at, MAX_FRAME_S);
			lines.push(`file ${index}.png`, `duration ${seconds.toFixed(3)}`);
		}
		await writeFile(join(folder, 'frames'), lines.join('\n'));
		const settings = ['-vf', `fps=8,scale=${width}:-1`, '-loop', '0', '-quality', '70'];
		await promisify(execFile)(FFMPEG, ['-y', '-i', join(folder, 'frames'), ...settings, path]);
		await rm(folder, { recursive: true });
	}
}

/** Draws the pointer, which isn't in the frames that Chromium paints. To be called before the page opens. */
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

/** Moves the pointer visibly to an element and clicks it. */
export async function moveAndClick(page: Page, where: Locator): Promise<void> {
	await where.waitFor();
	const box = await where.boundingBox();
	if (!box) throw new Error('the element to click is not visible');
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 20 });
	await page.waitForTimeout(300);
	await where.click();
}
