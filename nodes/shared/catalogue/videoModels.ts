import {
	aspectRatio,
	choice,
	file,
	flag,
	negativePrompt,
	number,
	prompt,
	requiredImage,
	seed,
	text,
} from './parameters';
import type { CatalogueModel } from './types';

const resolution = text('resolution', { note: 'e.g. 720p' });
const generateAudio = flag('generate_audio');
const firstFrame = file('first_frame_url');
const lastFrame = file('last_frame_url');
const referenceImages = file('reference_images', { list: true, note: '9 at most' });
const referenceVideos = file('reference_videos', { list: true, note: '3 at most' });

// Seconds as a number here, as text on Kling, Sora, Runway and Wan 2.5: the service takes no other.
const seconds = number('duration', { unit: 'seconds', note: 'e.g. 5' });
const klingDuration = choice('duration', ['5', '10'], { note: 'not a number' });
const kling3Duration = text('duration', { note: 'e.g. "5"' });
const soraDuration = choice('duration', ['4', '8', '12'], { note: 'not a number' });

const skipModerationText = text('skip_moderation', { note: 'e.g. "false"' });

const seedanceRatio = choice('aspect_ratio', [
	'16:9',
	'9:16',
	'1:1',
	'4:3',
	'3:4',
	'21:9',
	'adaptive',
]);
const seedance2End = [
	number('seed', { default: -1 }),
	flag('return_last_frame'),
	text('bitrate_mode'),
	flag('skip_moderation'),
];
const seedance2Start = [
	prompt,
	number('duration', { choices: [4, 5, 6, 8, 10, 12, 15], unit: 'seconds' }),
];
const seedance2Rest = [
	seedanceRatio,
	generateAudio,
	firstFrame,
	lastFrame,
	referenceImages,
	referenceVideos,
	file('reference_audios', { list: true, note: '3 at most' }),
	...seedance2End,
];
const seedance2Light = [
	...seedance2Start,
	choice('resolution', ['480p', '720p']),
	...seedance2Rest,
];

const veo31 = [
	prompt,
	number('duration', { unit: 'seconds', note: 'e.g. 8' }),
	choice('resolution', ['720p', '1080p']),
	choice('aspect_ratio', ['16:9', '9:16']),
	generateAudio,
	negativePrompt,
	file('image'),
];

const kling25 = [
	prompt,
	file('image_url'),
	negativePrompt,
	number('cfg_scale', { default: 0.7, min: 0, max: 1 }),
	klingDuration,
	text('mode', { note: 'e.g. pro' }),
	choice('aspect_ratio', ['16:9', '9:16', '1:1']),
];

/** Video. */
export const videoModels: readonly CatalogueModel[] = [
	{
		slug: 'seedance-2.0',
		title: 'Seedance 2.0',
		modality: 'video',
		cost: 1.2125,
		latencySeconds: 189.30402,
		parameters: [
			...seedance2Start,
			choice('resolution', ['480p', '720p', '1080p', '4k']),
			...seedance2Rest,
		],
	},
	{
		slug: 'seedance-2.0-fast',
		title: 'Seedance 2.0 Fast',
		modality: 'video',
		cost: 0.7689,
		latencySeconds: 116.85878,
		parameters: seedance2Light,
	},
	{
		slug: 'seedance-2.0-mini',
		title: 'Seedance 2.0 Mini',
		modality: 'video',
		cost: 0.3995,
		latencySeconds: 158.9451,
		parameters: seedance2Light,
	},
	{
		slug: 'seedance-2.5',
		title: 'Seedance 2.5',
		modality: 'video',
		cost: 1.9,
		parameters: [
			prompt,
			number('duration', { max: 30, unit: 'seconds' }),
			text('resolution', { note: 'up to 1080p' }),
			seedanceRatio,
			flag('generate_audio', { default: true }),
			firstFrame,
			lastFrame,
			referenceImages,
			referenceVideos,
			file('reference_audios', {
				list: true,
				note: '3 at most; a clip under 2 s is refused (422)',
			}),
			...seedance2End,
		],
	},
	{
		slug: 'seedance-1.5-pro',
		title: 'Seedance 1.5 Pro',
		modality: 'video',
		cost: 0.4062,
		latencySeconds: 99.53297,
		parameters: [
			prompt,
			firstFrame,
			seconds,
			resolution,
			text('aspect_ratio', { required: true }),
			flag('camera_fixed'),
			generateAudio,
			seed,
			skipModerationText,
		],
	},
	{
		slug: 'seedance-pro',
		title: 'Seedance 1.0 Pro',
		modality: 'video',
		cost: 0.352,
		latencySeconds: 62.21196,
		parameters: [
			prompt,
			file('image_url'),
			seconds,
			resolution,
			aspectRatio,
			flag('camera_fixed'),
			seed,
			skipModerationText,
		],
	},
	{
		slug: 'veo-3.1',
		title: 'Veo 3.1',
		modality: 'video',
		cost: 2.1611,
		latencySeconds: 110.49847,
		parameters: veo31,
	},
	{
		slug: 'veo-3.1-fast',
		title: 'Veo 3.1 Fast',
		modality: 'video',
		cost: 0.8591,
		latencySeconds: 99.31184,
		parameters: veo31,
		byAnalogy: true,
	},
	{
		slug: 'veo-3',
		title: 'Google Veo 3',
		modality: 'video',
		cost: 5.1884,
		latencySeconds: 144.36327,
		parameters: [prompt, seed, generateAudio, aspectRatio],
	},
	{
		slug: 'sora-2',
		title: 'Sora 2',
		modality: 'video',
		cost: 1.0159,
		latencySeconds: 178.74569,
		parameters: [
			prompt,
			soraDuration,
			choice('size', ['720x1280', '1280x720']),
			file('input_reference'),
		],
	},
	{
		slug: 'sora-2-pro',
		title: 'Sora 2 Pro',
		modality: 'video',
		cost: 3.1351,
		latencySeconds: 400.42705,
		parameters: [
			prompt,
			soraDuration,
			choice('size', ['720x1280', '1280x720', '1024x1792', '1792x1024']),
			file('input_reference'),
		],
	},
	{
		slug: 'kling-2.6',
		title: 'Kling 2.6',
		modality: 'video',
		cost: 1.1078,
		latencySeconds: 122.43048,
		parameters: [
			prompt,
			negativePrompt,
			number('cfg_scale', { min: 0, max: 1 }),
			klingDuration,
			choice('mode', ['std', 'pro']),
			aspectRatio,
			generateAudio,
			file('image'),
		],
	},
	{
		slug: 'kling-2.5-turbo',
		title: 'Kling 2.5 Turbo',
		modality: 'video',
		cost: 0.5664,
		latencySeconds: 134.74241,
		parameters: kling25,
	},
	{
		slug: 'kling-3-pro-image2video',
		title: 'Kling 3.0 Pro Image-to-Video',
		modality: 'video',
		cost: 1.9406,
		latencySeconds: 291.36004,
		parameters: [
			text('prompt'),
			file('start_image_url', { note: '50 MB at most' }),
			kling3Duration,
			number('cfg_scale'),
			aspectRatio,
		],
	},
	{
		slug: 'kling-3-standard-text2video',
		title: 'Kling 3.0 Standard Text-to-Video',
		modality: 'video',
		cost: 1.7482,
		latencySeconds: 145.32821,
		parameters: [text('prompt'), kling3Duration, number('cfg_scale'), aspectRatio],
		byAnalogy: true,
	},
	{
		slug: 'kling-2.1',
		title: 'Kling 2.1 AI Video Generator',
		modality: 'video',
		cost: 0.9007,
		latencySeconds: 135.89172,
		parameters: kling25,
		byAnalogy: true,
	},
	{
		slug: 'hailuo-2.3',
		title: 'Hailuo 2.3',
		modality: 'video',
		cost: 0.529,
		latencySeconds: 140.66875,
		parameters: [
			prompt,
			file('first_frame_image'),
			number('duration', { choices: [6, 10], unit: 'seconds' }),
			choice('resolution', ['768p', '1080p']),
			flag('prompt_optimizer'),
		],
	},
	{
		slug: 'hailuo-02-fast',
		title: 'Hailuo 02 Fast',
		modality: 'video',
		cost: 0.1613,
		latencySeconds: 79.67199,
		parameters: [
			prompt,
			file('first_frame_image'),
			number('duration', { choices: [6, 10], unit: 'seconds' }),
			resolution,
			flag('prompt_optimizer'),
		],
		byAnalogy: true,
	},
	{
		slug: 'wan-2.2-i2v-flash',
		title: 'Wan 2.2 Image to Video Flash',
		modality: 'video',
		cost: 0.1722,
		latencySeconds: 66.87629,
		parameters: [
			text('prompt'),
			file('image'),
			negativePrompt,
			text('resolution', { note: 'with a capital P, e.g. 720P' }),
			flag('prompt_extend'),
			flag('watermark'),
		],
	},
	{
		slug: 'wan-2.5-i2v',
		title: 'Wan 2.5 Image to Video',
		modality: 'video',
		cost: 0.8588,
		latencySeconds: 177.58862,
		parameters: [
			requiredImage,
			prompt,
			text('duration', { note: 'e.g. "5"' }),
			text('resolution', { note: 'e.g. 720p' }),
			negativePrompt,
			flag('enable_prompt_expansion'),
			seed,
		],
	},
	{
		slug: 'wan2.7-t2v',
		title: 'Wan 2.7 Text to Video',
		modality: 'video',
		cost: 0.625,
		latencySeconds: 302.8468,
		parameters: [prompt, negativePrompt, seconds, resolution, seed],
		byAnalogy: true,
	},
	{
		slug: 'runway-gen4-turbo',
		title: 'Runway Gen 4 Turbo',
		modality: 'video',
		cost: 0.7741,
		latencySeconds: 38.03304,
		parameters: [
			text('promptText', { required: true }),
			file('promptImage', { required: true, note: 'JPEG, PNG or WebP, 16 MB at most' }),
			choice('ratio', ['1280:720', '720:1280', '1104:832', '832:1104', '960:960', '1584:672']),
			choice('duration', ['5', '10'], { note: 'not a number' }),
			number('seed', { min: 1, max: 99999 }),
		],
	},
	{
		slug: 'ltx-2.5-pro',
		title: 'LTX 2.5 Pro',
		modality: 'video',
		cost: 1.275,
		parameters: [prompt, seconds, resolution],
		byAnalogy: true,
	},
	{
		slug: 'flux-3-text-to-video',
		title: 'FLUX 3 Text to Video',
		modality: 'video',
		cost: 1.0625,
		parameters: [prompt, seconds, resolution, aspectRatio, seed],
		byAnalogy: true,
	},
	{
		slug: 'p-video-avatar',
		title: 'Pruna P Video Avatar',
		modality: 'video',
		cost: 0.8108,
		latencySeconds: 119.68879,
		parameters: [
			text('prompt'),
			file('image'),
			text('voice', { note: 'e.g. Zephyr (Female)' }),
			resolution,
			seed,
		],
		byAnalogy: true,
	},
];
