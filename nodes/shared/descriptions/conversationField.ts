import type { INodeProperties } from 'n8n-workflow';

import { choiceField, showIf, textField } from './fields';

const IF_ROWS = showIf({ defineAs: ['rows'] });
const IF_LIST = showIf({ defineAs: ['list'] });

/** The option Conversation. A list is defined in a row, because n8n drops stored rows if the option stops being a table. */
export const conversationField: INodeProperties = {
	displayName: 'Conversation',
	name: 'conversation',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Messages',
	default: {},
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
				choiceField(
					'role',
					'Role',
					'Who wrote the message',
					[
						['assistant', 'Assistant', 'The model'],
						['user', 'User', 'The person who asks'],
					],
					'user',
					IF_ROWS,
				),
				textField('message', 'Message', 'What was said', {
					typeOptions: { rows: 2 },
					...IF_ROWS,
				}),
				textField(
					'list',
					'Messages',
					'A list such as [{"role": "user", "content": "Hi"}], or the messages from Chat Memory Manager',
					{ type: 'json', default: '[]', ...IF_LIST },
				),
			],
		},
	],
};
