/** The hints that the nodes show on their output after a run, those about an item after "Item 3: ". Values replace the names in braces. */
export const HINTS = {
	notDownloaded:
		'{failed} of {files} files could not be downloaded ({why}). The request completed, and the URLs of its files are in the output. Files are available for 7 days.',
	cutText:
		"the model reached its token limit, so its text is incomplete. Increase the model's limit, such as max_tokens, or ask for a shorter text.",
	notUploaded:
		"the output could not be uploaded for the agent ({why}). The file is in the item's binary data.",
	ownFileNotSent:
		"none of the item's own files ({all}) was sent: no {word} was entered, and the node couldn't choose one of the item's own {word}s ({files}). To send a file, enter its name in a field marked \"(file)\".",
	datesTooFarApart:
		'From Date is more than three years before To Date, so only the three years before To Date were read.',
	rowsUnreadable:
		'the request history contains rows that could not be read ({rows}), so the output may be incomplete.',
	notJson:
		'the answer of the model contains no JSON, or more than one object, although Output Format is JSON. It was charged.',
	leftOut: 'the expression in {label} resolved to nothing, so it was left out.',
	emptyRow: '{label} was sent as an empty text.',
	fileOfItem: "{label} was empty, so the item's own file '{field}' was sent.",
	fileOfOtherTask:
		"The item's own file, '{field}', was not sent. To send it, enter '{field}' in a field or option for files, or choose {task}.",
	systemPromptJoined:
		"Model '{model}' is not known to have a parameter for a system prompt, so System Prompt was sent as the first part of the prompt.",
	lacks: 'the request completed and was charged, but returned no {what}{said}.',
	/** The node sent a request although an earlier one may have been accepted. */
	resent:
		'the request for {subject} was resent, although the request of an earlier attempt may have been accepted. {found}',
	resumed: "Resumed {ids}: an earlier attempt sent the request, and it isn't charged again.",
	found:
		"Found {ids} in the request history after the response was lost: the request isn't charged again.",
	failedBesideResumed: '{items} of {count} failed: see the output.',
	workflowTimeout:
		"The workflow's own timeout of {limit} s is shorter than this node's Timeout of {timeout} s, so n8n may end the execution while a paid request is running. Increase the workflow's timeout or decrease the node's. If n8n ends the execution, the ID of the request is in the n8n log, and you can get the result with Get Result.",
	longExecution:
		'This execution was active for more than five minutes. For long jobs, use a loop instead: it occupies no worker while the request runs, and survives a restart of n8n. Turn Wait for Completion off in this node, then add n8n\'s Wait (66 seconds or more), Get Result with Wait for Completion off, and an If that returns to Wait until status is COMPLETED. You can copy the loop from the "Long jobs" page of the documentation.',
	notChecked:
		'the status of the request could not be checked ({why}). The output shows it as unfinished. Check again later.',
	accessNotActive:
		'the model access of the API key is saved but not active yet. Until it is, the previous setting applies. Later, run Set Model Access again and check the field "live" in the output.',
	costs: 'Cost: {spent}; about {expected} USD was expected (from published averages).',
	costsAsExpected: 'Cost: {spent} USD.',
} as const;
