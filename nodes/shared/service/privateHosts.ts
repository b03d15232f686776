/** Which hosts are this computer or in a private network. Only n8n can look up a name (docs/compatibility.md). */

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/** Loopback, link-local and private addresses, those that a provider shares among its customers, and 0.0.0.0. */
const PRIVATE_IPV4 =
	/^(0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;
const PRIVATE_IPV6 = /^(f[cd]|fe[89a-f])/;
/** An IPv6 address that contains an IPv4 address: mapped, compatible (also ::1), translated, NAT64 or 6to4. */
const CONTAINS_IPV4 =
	/^(?:(?:0000:){4}(?:0000:0000|0000:ffff|ffff:0000):|0064:ff9b:(?:0000:){4}|2002:)(\w\w)(\w\w):(\w\w)(\w\w)/;

/** Whether the host of a URL is localhost or, as a literal, a loopback, link-local or private address. */
export function isPrivateHost({ hostname }: URL): boolean {
	// URL has normalized the address: 127.1 and 0x7f000001 are 127.0.0.1.
	if (hostname.startsWith('[')) return isPrivateIpv6(hostname.slice(1, -1));
	if (IPV4.test(hostname)) return PRIVATE_IPV4.test(hostname);
	return /(^|\.)localhost\.?$/.test(hostname);
}

/** Whether the host of a URL is a literal IP address that isn't private. */
export function isPublicAddress(url: URL): boolean {
	const isLiteral = url.hostname.startsWith('[') || IPV4.test(url.hostname);
	return isLiteral && !isPrivateHost(url);
}

function isPrivateIpv6(address: string): boolean {
	const groups = eightGroups(address);
	if (PRIVATE_IPV6.test(groups)) return true;
	const bytes = CONTAINS_IPV4.exec(groups)?.slice(1) ?? [];
	return PRIVATE_IPV4.test(bytes.map((byte) => parseInt(byte, 16)).join('.'));
}

/** Writes an IPv6 address without `::`, in eight groups of four digits. */
function eightGroups(address: string): string {
	const [start, end] = address
		.split('::')
		.map((part) => part.split(':').filter((group) => group !== ''));
	const zeros = Array<string>(8 - start.length - (end?.length ?? 0)).fill('0');
	return [...start, ...zeros, ...(end ?? [])].map((group) => group.padStart(4, '0')).join(':');
}
