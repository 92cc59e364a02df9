import { expect, it } from 'vitest';
import { createRequestKey, sealForRequest } from '../../../shared/bus/seal-for-engine.ts';

const key = createRequestKey();
const sealed = sealForRequest(key.publicKey, '{"key":"é"}', 'call 1');

it('is opened by the key of the request, for the same call only', () => {
  expect(key.open(sealed, 'call 1')).toBe('{"key":"é"}');
  expect(key.open(sealed, 'call 2')).toBeNull();
  expect(createRequestKey().open(sealed, 'call 1')).toBeNull();
});

it('is not opened when a byte was changed or is missing', () => {
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(key.open(changed, 'call 1')).toBeNull();
    expect(key.open(sealed.subarray(0, at), 'call 1')).toBeNull();
  }
});

it('is not sealed for what is no key', () => {
  expect(() => sealForRequest(Buffer.alloc(44), 'text', 'call 1')).toThrow();
});
