import type { IDataObject } from 'n8n-workflow';

import { findModel } from '../catalogue';
import { kindOf } from '../catalogue/modelList';
import type { Task } from '../catalogue/tasks';
import type { Kind } from '../catalogue/types';
import { readOptions, RUN_OPTIONS, type RunOptions } from '../descriptions/options';
import { readIsJson } from '../inputs/answerFormat';
import { readInputs, type Inputs } from '../inputs/readInputs';
import { quoted } from '../errors/say';
import type { Fingerprint, Refusal } from '../journal/entry';
import { readPresentation, type Presentation } from '../output/presentation';
import type { Item } from '../run/item';
import type { CallSubject } from '../service/responseErrors';
import type { CallOutcome } from '../service/http';
import type { Match } from './matchRows';

/** What an item asks Segmind to make, and the options for it: a run of a model or a workflow. Never changed. */
export interface Submission {
	readonly itemIndex: number;
	readonly url: string;
	/** In the user's words: "model 'x'". */
	readonly subject: string;
	readonly inputs: Inputs;
	/** Whether a successful response refers to the request (v2, workflows) or holds its output (v1). */
	readonly responds: 'reference' | 'output';
	readonly slug: string;
	readonly isWorkflow: boolean;
	/** Part of every output item: `{model: slug}` or `{workflow: slug}`. */
	readonly madeBy: IDataObject;
	/** What the model makes; undefined if that is unknown, and for workflows. */
	readonly makes?: Kind;
	/** Whether it transcribes a recording. */
	readonly isTranscript: boolean;
	/** Published average cost of a request to this model or workflow, in USD. */
	readonly publishedCost?: number;
	/** False if the item is the unfinished request instead of its result. */
	readonly waits: boolean;
	/** `timeoutMs` also limits waiting for the rate limit before acceptance, and searching for a lost response. */
	readonly options: RunOptions;
	readonly presentation: Presentation;
}

/** The model or workflow that an item runs. */
interface Target extends Pick<Submission, 'url' | 'slug' | 'isWorkflow' | 'responds'> {
	/** What a model is asked to do. */
	readonly task?: Task;
}

/** Reads all parameters of a generation but its target. @throws SegmindFailure that names the parameter, before any call */
export async function readSubmission(item: Item, target: Target): Promise<Submission> {
	const { run, index, parameters } = item;
	const { task, ...sent } = target;
	const { slug, isWorkflow, responds } = sent;
	const maker = isWorkflow ? 'workflow' : 'model';
	const builtIn = isWorkflow ? undefined : findModel(slug);
	const kind = isWorkflow ? undefined : kindOf(slug, run.client.urls.endpointAdminUrl);
	const isJson = readIsJson(item);
	const options = readOptions(parameters, RUN_OPTIONS);
	const inputs = await readInputs(item, isWorkflow ? undefined : { slug, task });
	const prompt = inputs.kind === 'fields' ? inputs.prompt : '';
	return {
		...sent,
		itemIndex: index,
		subject: `${maker} ${quoted(slug)}`,
		madeBy: { [maker]: slug },
		makes: kind ?? task?.makes,
		isTranscript: task?.makes === 'transcript',
		publishedCost: builtIn?.cost,
		// One call responds with the output itself, so there is nothing to wait for.
		waits: responds === 'output' || options.waitForCompletion,
		inputs,
		options,
		presentation: readPresentation(
			item,
			{ isJson, prompt, timeoutMs: options.timeoutMs },
			{ keepsFiles: task?.keepsFiles === true, makes: builtIn?.kind ?? task?.makes },
		),
	};
}

/** Returns what an error about a submission's call names. */
export function callSubjectOfSubmission({
	subject,
	responds,
	isWorkflow,
}: Submission): CallSubject {
	const about = `the request for ${subject}`;
	if (responds === 'output') return { purpose: 'oneCall', subject: about };
	return { purpose: isWorkflow ? 'workflow' : 'submit', subject: about };
}

/** What is kept of a request that is ready to be sent: not its body, because pictures in it take megabytes. */
export interface PreparedRequest {
	/** Digest of URL and inputs, files by content. */
	readonly requestDigest: string;
	/** Digest of slug and body. */
	readonly callDigest: string;
	readonly fingerprint: Fingerprint;
	/** The body's members that aren't empty, for errors. */
	readonly names: readonly string[];
}

/** A call that may have been accepted: its response was lost, says nothing about acceptance, or can't be used. */
export interface Loss {
	readonly outcome: CallOutcome;
	/** Whether the call isn't charged by the published rule. */
	readonly isFree: boolean;
	/** Set if the response is an error in place of a result. */
	readonly refusal?: Refusal;
}

/** What the search for a call whose response was lost has shown. */
export type SearchResult =
	/** `none`: the history was read completely and late enough, and neither the request nor a candidate is there. */
	| Exclude<Match, { kind: 'one' }>
	/**
	 * `outOfReach`: the history wasn't read completely. `noHistory`: Segmind itself says that this key has none. `underWay`: the call, or an equal one of this
	 * process, still waits for its response.
	 */
	| { readonly kind: 'outOfReach' | 'noHistory' | 'underWay' };
