import { BlockList, isIP } from 'node:net';

/** Addresses and networks in the form of RFC 4632 (`203.0.113.0/24`) and RFC 4291, section 2.3 (`2001:db8::/32`). */

interface Network {
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}

/** Returns whether the text is an address or a network. IPv4 is written as such, not mapped into IPv6. */
export const isNetwork = (text: string): boolean => readNetwork(text) !== null;

/** Returns the networks as one list. @throws for what `isNetwork` refuses. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const network = readNetwork(text);
    if (!network) throw new Error(`no network: ${text}`);
    list.addSubnet(network.address, network.bits, network.family);
  }
  return list;
}

/** Whether one of the networks holds the address of a client, which a socket of both families writes as `::ffff:203.0.113.7`. */
export function includesAddress(networks: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && networks.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

function readNetwork(text: string): Network | null {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  // A zone (`%eth0`) means something on one machine only.
  if (family === 0 || more.length > 0 || address.includes('%') || /^::ffff:/i.test(address)) return null;
  const most = family === 4 ? 32 : 128;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const bits = length === undefined ? most : Number(length);
  return bits <= most ? { address, bits, family: family === 4 ? 'ipv4' : 'ipv6' } : null;
}
