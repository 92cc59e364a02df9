import { BlockList, isIP } from 'node:net';

/** Addresses and networks in the form of RFC 4632 (`203.0.113.0/24`) and RFC 4291, section 2.3 (`2001:db8::/32`). */

interface Network {
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}

/** Returns whether the text is an address or a network. IPv4 is written as such, not mapped into IPv6, and without a zone (`%eth0`), which means something on one machine only. */
export const isNetwork = (text: string): boolean => readNetwork(text) !== null && !/%|^::ffff:/i.test(text);

/** Returns the networks as one list. @throws Error for what is none. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const network = readNetwork(text);
    if (!network) throw new Error(`not a network: ${text}`);
    list.addSubnet(network.address, network.bits, network.family);
  }
  return list;
}

/** Whether one of the networks holds the address; an IPv4 address may be mapped into IPv6. False for anything but an IP address. */
export function includesAddress(networks: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether the host is this machine's own, as a name or an address (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3), also as `URL` writes it. */
export function isLoopbackHost(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || (isIP(host) === 4 && host.startsWith('127.'));
}

function readNetwork(text: string): Network | null {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return null;
  const most = family === 4 ? 32 : 128;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const bits = length === undefined ? most : Number(length);
  return bits <= most ? { address, bits, family: family === 4 ? 'ipv4' : 'ipv6' } : null;
}
