/** The hints that the nodes show on their output after a run. Values replace the names in braces. */
export const HINTS = {
	notDownloaded:
		'Item {item}: a file of request {request} could not be downloaded ({why}). The request completed, and the URL of the file is in the output. Files are available for 7 days.',
	inlineFileTooLarge:
		'Item {item}: request {request} returned a file larger than Max File Size ({megabytes} MB), which was left out. Within one hour of submission you can get it with Get Result and a larger Max File Size.',
	notUploaded:
		"Item {item}: the output could not be uploaded for the agent ({why}). It is in the item's binary data.",
	promptUnknown:
		"The prompt was sent, although the published parameters of model '{model}' include no prompt.",
	noImage: 'Item {item}: no image was given, and the item has none.',
	severalImages:
		'Item {item}: the item has several images ({images}), and none was sent. To send one, enter its name in a field marked "(file)".',
	datesTooFarApart:
		'Item {item}: From Date is more than three years before To Date, so only the last three years were read.',
	rowsUnreadable:
		'Item {item}: {rows} rows of the request history could not be read, so the output may be incomplete.',
	fileOfItem: "No file was given for '{name}', so the item's own, '{field}', was sent.",
	fileOfOtherTask:
		"The item's own file, '{field}', was not sent. To send it without filling in a field, choose {task}.",
	systemPromptJoined:
		"Model '{model}' is not known to have a parameter for a system prompt, so System Prompt was sent as the first part of the prompt.",
	emptyOutput: 'Item {item}: request {request} completed and was charged, but its output is empty.',
} as const;
