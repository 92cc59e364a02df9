import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { mediaTokenSecrets, readMediaToken, signMediaToken } from '../../shared/media-token.ts';

const secret = 'a secret of the test';
const callId = newId();
const token = signMediaToken(secret, callId, 60_000);

describe('a media token', () => {
  it('names its call until it expires', () => {
    expect(readMediaToken(secret, token, 59_999)).toEqual({
      call_id: callId,
      expires_at_ms: 60_000,
      nonce: expect.stringMatching(/^[a-f0-9]{16}$/),
    });
    expect(readMediaToken(secret, token, 60_000)).toBe('expired');
  });

  it('can stand in a path', () => {
    expect(encodeURIComponent(token)).toBe(token);
  });

  it('of a person who takes part opens no stream of the call itself, and the other way round', () => {
    const participant = signMediaToken(secret, callId, 60_000, 'participant');
    expect(readMediaToken(secret, participant, 0)).toBe('forged');
    expect(readMediaToken(secret, token, 0, 'participant')).toBe('forged');
    expect(readMediaToken(secret, participant, 0, 'participant')).toMatchObject({ call_id: callId });
  });

  it('is different each time', () => {
    expect(signMediaToken(secret, callId, 60_000)).not.toBe(token);
  });

  it('is forged with another secret, call, expiry or nonce', () => {
    const [call, expiry, nonce, signature] = token.split('.') as [string, string, string, string];
    expect(readMediaToken('another secret', token, 0)).toBe('forged');
    for (const parts of [
      [newId(), expiry, nonce, signature],
      [call, 'zzzzzz', nonce, signature],
      [call, expiry, '0123456789abcdef', signature],
      [call, expiry, nonce, signature.slice(1)],
      [call, expiry, nonce, ''],
      [call, expiry, nonce, 'ü'.repeat(43)],
    ]) {
      expect(readMediaToken(secret, parts.join('.'), 0)).toBe('forged');
    }
  });

  it('is signed with the first of several secrets, and accepted with each', () => {
    const both = `a newer secret of the test, ${secret}`;
    expect(readMediaToken(both, token, 0)).toMatchObject({ call_id: callId });
    const newer = signMediaToken(both, callId, 60_000);
    expect(readMediaToken('a newer secret of the test', newer, 0)).toMatchObject({ call_id: callId });
    expect(readMediaToken(secret, newer, 0)).toBe('forged');
  });

  it.each(['', 'too short', `${secret},`, `${secret},too short`])('needs long secrets: %s', (setting) => {
    expect(mediaTokenSecrets.safeParse(setting).success).toBe(false);
  });

  it.each(['', '...', 'a.b.c.d', `${token}.x`, token.slice(1), 'x'.repeat(10_000)])('is malformed: %.20s', (text) => {
    expect(readMediaToken(secret, text, 0)).toBe('malformed');
  });
});
