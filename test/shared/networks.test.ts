import { expect, it } from 'vitest';
import { includesAddress, isNetwork, networksOf } from '../../shared/networks.ts';

it.each([
  ['203.0.113.7', true],
  ['203.0.113.0/24', true],
  ['0.0.0.0/0', true],
  ['2001:db8::/32', true],
  ['::1/128', true],
  ['203.0.113.0/33', false],
  ['203.0.113.0/', false],
  ['203.0.113.0/24/24', false],
  ['203.0.113', false],
  ['2001:db8::/129', false],
  ['fe80::1%eth0', false],
  ['::ffff:203.0.113.7', false],
  ['example.com', false],
  ['', false],
])('whether %j is an address or a network: %j', (text, is) => {
  expect(isNetwork(text)).toBe(is);
});

it.each([
  ['203.0.113.7', true],
  ['::ffff:203.0.113.7', true],
  ['::ffff:cb00:7107', true],
  ['203.0.114.7', false],
  ['2001:db8:ffff::1', true],
  ['2001:db9::1', false],
  ['198.51.100.1', true],
  ['198.51.100.2', false],
  ['', false],
  ['unknown', false],
])('whether the networks hold %j: %j', (address, is) => {
  expect(includesAddress(networksOf(['203.0.113.0/24', '2001:db8::/32', '198.51.100.1']), address)).toBe(is);
});
