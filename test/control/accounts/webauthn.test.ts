import { describe, expect, it } from 'vitest';
import { relyingPartyOf } from '../../../control/accounts/webauthn.ts';

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
