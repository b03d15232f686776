import type { INodeProperties } from 'n8n-workflow';

/** Returns the switch Custom Addresses of a credential, and the addresses that it shows. */
export function customAddressFields(fields: INodeProperties[]): INodeProperties[] {
	return [
		{
			displayName: 'Custom Addresses',
			name: 'customAddresses',
			type: 'boolean',
			default: false,
			description: "Whether to use URLs other than Segmind's own, such as the URL of a proxy",
		},
		...fields.map((field) => ({
			...field,
			displayOptions: { show: { customAddresses: [true] } },
		})),
	];
}
