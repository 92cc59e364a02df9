import { expect, it } from 'vitest';
import { isPublicAddress, mayBePublicHost } from '../../shared/public-address.ts';

it.each(['8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
);

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  'fe80::1',
  'fd00::1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '::ffff:0:7f00:1',
  '::127.0.0.1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  '100::1',
  '64:ff9b:1::1',
  '192.0.0.9',
  '192.0.2.1',
  '192.88.99.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '127.1',
  'example.com',
  '',
])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));

it.each([
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://localhost/',
  'https://a.localhost./',
  'https://printer.local/',
  'https://metadata.google.internal/',
])('%s names no public host', (url) => expect(mayBePublicHost(new URL(url).hostname)).toBe(false));

it('a name with a dot may be public', () => {
  expect(mayBePublicHost('example.com')).toBe(true);
  expect(mayBePublicHost(new URL('https://[2606:4700::1]/').hostname)).toBe(true);
});
