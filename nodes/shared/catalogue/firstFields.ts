import type { CatalogueParameter } from './types';

/** A form shows at most this many fields at first, including one for a file. The others are under "Add parameter". */
const MAX_FIRST_FIELDS = 6;

/** Parameters that few users set, whatever the list says. Claude's `instruction` is set with the field System Prompt of Text: Generate. */
const RARELY_SET =
	/^(response_modalities|thinking_level|moderation|skip_moderation|(disable_)?safety_\w+|enable_safety_\w+|base64|sync_mode|model_id|instruction|bitrate_mode|interval|cfg\w*|shift|scheduler|sampler(_name)?|high_noise_fraction|refiner|go_fast|apply_\w+|use_speaker_boost|similarity_boost|output_compression|prompt_upsampling|prompt_optimizer|prompt_extend|enable_prompt_expansion|magic_prompt|mask_only|force_dc|crop|min_p|top_[kp]|repetition_penalty|diarization_threshold|timestamp_granularity)$/i;

const MAX_TOKENS = /^max_(output_|completion_)?tokens$/;

/** Returns what a form shows at first: the first file, required parameters, a language model's Max Tokens and Temperature, then common ones. */
export function firstFields(parameters: readonly CatalogueParameter[]): Set<CatalogueParameter> {
	const isLanguage = parameters.some(({ name }) => name === 'messages' || MAX_TOKENS.test(name));
	const languageFields = parameters.filter(
		({ name }) => isLanguage && (name === 'temperature' || MAX_TOKENS.test(name)),
	);
	const common = parameters.filter(
		(parameter) =>
			!isJson(parameter) &&
			(parameter.required === true ||
				(parameter.advanced !== true && !RARELY_SET.test(parameter.name))),
	);
	const file = common.filter(({ type }) => type === 'file').slice(0, 1);
	const required = common.filter((parameter) => parameter.required === true);
	return new Set(
		[...new Set([...file, ...required, ...languageFields, ...common])].slice(0, MAX_FIRST_FIELDS),
	);
}

/** Whether a parameter is JSON, whose empty field has a red dot in the editor (docs/n8n.md N208). */
export function isJson({ type, list }: CatalogueParameter): boolean {
	return type === 'json' || (list === true && type !== 'file');
}
