import { BlockList, isIP } from 'node:net';

/**
 * The special-purpose ranges of RFC 6890 and its successors (IANA special-purpose address registries), which include
 * cloud-metadata addresses. All other addresses are on the public internet.
 */
const NOT_PUBLIC = new BlockList();

/** Global unicast addresses (RFC 4291, section 2.4), and IPv4 addresses written as IPv6. */
const MAY_BE_PUBLIC_6 = new BlockList();
MAY_BE_PUBLIC_6.addSubnet('2000::', 3, 'ipv6');
MAY_BE_PUBLIC_6.addSubnet('::ffff:0:0', 96, 'ipv6');

const RANGES: [net: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Unspecified, loopback and the deprecated IPv4-compatible addresses.
  ['::', 96],
  // IPv4-translated: the embedded IPv4 address is not checked. Mapped addresses are checked as the address they map to.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
for (const [net, bits] of RANGES) NOT_PUBLIC.addSubnet(net, bits, net.includes(':') ? 'ipv6' : 'ipv4');

/** False for anything but an IP address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  return family === 6 && MAY_BE_PUBLIC_6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}

/**
 * False for a host that can never be public. What a name resolves to is checked when it is called. `host` as `URL` parses it.
 */
export function mayBePublicHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return isPublicAddress(bare);
  const name = bare.toLowerCase().replace(/\.$/, '');
  return name.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/.test(name);
}
