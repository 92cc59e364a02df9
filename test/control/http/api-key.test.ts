import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { displayPrefix, looksLikeApiKey, newApiKey } from '../../../control/workspaces/api-key.ts';

it('an API key is svc_ and 49 characters of base 62', () => {
  const key = newApiKey();
  expect(key).toMatch(/^svc_[0-9A-Za-z]{49}$/);
  expect(looksLikeApiKey(key)).toBe(true);
  expect(displayPrefix(key)).toHaveLength(12);
});

it('an API key is derived from its random bytes alone', () => {
  expect(newApiKey(Buffer.alloc(32, 0))).toMatch(/^svc_0{43}/);
  expect(newApiKey(Buffer.alloc(32, 255))).toMatch(/^svc_[1-9A-Za-z]/);
});

it('an API key with a typo is rejected', () => {
  const key = newApiKey();
  for (const at of [4, 20, 46, 52]) {
    const other = key[at] === 'a' ? 'b' : 'a';
    expect(looksLikeApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  }
  for (const text of ['', 'svc_', `${key}0`, key.slice(1)]) expect(looksLikeApiKey(text)).toBe(false);
});

it('an API key is matched by the pattern that is documented for scanners', () => {
  const page = readFileSync(new URL('../../../docs/api-keys.md', import.meta.url), 'utf8');
  const [, pattern] = /^(\\bsvc_.*)$/m.exec(page)!;
  expect(`key=${newApiKey()}&x`).toMatch(new RegExp(pattern!));
});
