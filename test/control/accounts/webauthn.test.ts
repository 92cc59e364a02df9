import { describe, expect, it } from 'vitest';
import {
  assertionResponse,
  registrationResponse,
  relyingPartyOf,
  verifiedAssertion,
  verifiedRegistration,
} from '../../../control/accounts/webauthn.ts';
import { createAuthenticator } from '../../support/software-authenticator.ts';

const party = (url: string, ...origins: string[]) => {
  const found = relyingPartyOf('Antiphon', url, origins);
  return found && [found.id, found.origins];
};

describe('the site that passkeys are for', () => {
  it('is the domain of the public URL, with the console on it', () => {
    const origins = ['https://console.voice.example.com', 'https://other.example.com'];
    expect(party('https://voice.example.com/base', ...origins)).toEqual([
      'voice.example.com',
      ['https://voice.example.com', 'https://console.voice.example.com'],
    ]);
  });

  it.each(['http://127.0.0.1:7080', 'http://localhost:7080', 'http://[::1]:7080'])('is localhost at %s', (url) => {
    expect(party(url)).toEqual(['localhost', ['http://localhost:7080']]);
  });

  it.each(['https://203.0.113.7', 'http://[2001:db8::1]:7080', 'nonsense'])('is none at %s', (url) => {
    expect(party(url)).toBeNull();
  });
});

describe('what an authenticator sends', () => {
  const ORIGIN = 'https://voice.example.com';
  const site = { name: 'Antiphon', id: 'voice.example.com', origins: [ORIGIN] };
  const registered = () => createAuthenticator(ORIGIN).register({ challenge: 'c', rp: { id: site.id } });

  it.each([
    ['a list of 2^64 items', Buffer.from('9bffffffffffffffff', 'hex')],
    ['text of 2^64 bytes', Buffer.from('7bffffffffffffffff', 'hex')],
    ['20,000 lists in each other', Buffer.alloc(20_000, 0x81)],
    ['20,000 lists without an end', Buffer.alloc(20_000, 0x9f)],
    ['20,000 tags', Buffer.alloc(20_000, 0xc1)],
    ['nothing', Buffer.alloc(1)],
  ])('is refused when it is %s', async (_name, cbor) => {
    const { response, ...rest } = registered();
    const hostile = { ...rest, response: { ...response, attestationObject: cbor.toString('base64url') } };
    const parsed = registrationResponse.parse(hostile);
    await expect(verifiedRegistration(site, 'c', parsed)).rejects.toThrow();
  });

  it('is refused when one bit of what is signed is another', async () => {
    const authenticator = createAuthenticator(ORIGIN);
    const made = authenticator.register({ challenge: 'c', rp: { id: site.id } });
    const passkey = await verifiedRegistration(site, 'c', registrationResponse.parse(made));
    const accepted: string[] = [];
    for (const field of ['authenticatorData', 'clientDataJSON'] as const) {
      const { length } = Buffer.from(authenticator.use({ challenge: 'c', rpId: site.id }).response[field], 'base64url');
      for (let bit = 0; bit < 8 * length; bit++) {
        const used = authenticator.use({ challenge: 'c', rpId: site.id });
        const bytes = Buffer.from(used.response[field], 'base64url');
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        used.response[field] = bytes.toString('base64url');
        const outcome = verifiedAssertion(site, 'c', assertionResponse.parse(used), passkey, 'preferred');
        await outcome.then(
          () => accepted.push(`${field} ${bit}`),
          () => null,
        );
      }
    }
    expect(accepted).toEqual([]);
  });
});
