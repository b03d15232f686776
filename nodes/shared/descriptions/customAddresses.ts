import type { INodeProperties } from 'n8n-workflow';

/** A credential's switch and the addresses that it shows. */
export function customAddressFields(fields: INodeProperties[]): INodeProperties[] {
	return [
		{
			displayName: 'Custom Addresses',
			name: 'customAddresses',
			type: 'boolean',
			default: false,
			description:
				"Whether to use addresses other than Segmind's own, such as your proxy or the emulator",
		},
		...fields.map((field) => ({
			...field,
			displayOptions: { show: { customAddresses: [true] } },
		})),
	];
}

/** The base of a credential's test, which knows no constants. */
export function addressExpression(name: string, usual: string): string {
	return `={{ $credentials.customAddresses ? $credentials.${name} : "${usual}" }}`;
}
