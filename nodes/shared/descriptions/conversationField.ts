import type { INodeProperties } from 'n8n-workflow';

import { choiceField, showIf, textField } from './fields';

/** One message in each row. */
const rowsField: INodeProperties = {
	displayName: 'Rows',
	name: 'rows',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Message',
	default: {},
	...showIf({ defineAs: ['rows'] }),
	options: [
		{
			displayName: 'Message',
			name: 'values',
			values: [
				choiceField(
					'role',
					'Role',
					'Who wrote the message',
					[
						['assistant', 'Assistant', 'The model'],
						['user', 'User', 'The person who asks'],
					],
					'user',
				),
				textField('message', 'Message', 'What was said', { typeOptions: { rows: 2 } }),
			],
		},
	],
};

/** The option Conversation. Its default shows Define As as soon as it's added. */
export const conversationField: INodeProperties = {
	displayName: 'Conversation',
	name: 'conversation',
	type: 'fixedCollection',
	placeholder: 'Add Messages',
	default: { values: { defineAs: 'rows' } },
	description: 'Earlier messages, which the model reads before the prompt',
	...showIf({ '/resource': ['text'] }),
	options: [
		{
			displayName: 'Messages',
			name: 'values',
			values: [
				choiceField(
					'defineAs',
					'Define As',
					'How to enter the messages',
					[
						['list', 'List', 'Messages from another node, such as Chat Memory Manager'],
						['rows', 'Rows', 'One message in each row'],
					],
					'rows',
					{ noDataExpression: true },
				),
				rowsField,
				textField(
					'list',
					'Messages',
					'A list such as [{"role": "user", "content": "Hi"}], or the messages from Chat Memory Manager',
					{ type: 'json', default: '[]', ...showIf({ defineAs: ['list'] }) },
				),
			],
		},
	],
};
