import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPasswords } from '../../../control/accounts/password.ts';
import { HttpError } from '../../../control/http/errors.ts';

const KIB = 8;
/** Of the same text, by scrypt with N = 2^6, as it was stored before Argon2id. */
const SCRYPT = 'scrypt$6$BwcHBwcHBwcHBwcHBwcHBw==$dmGiXjoVq0w7Gc5fCTCQ+MhK4JNUG39EFx4YVDyNQHk=';

describe('passwords', () => {
  it('match their own hash only', async () => {
    const passwords = createPasswords({ memoryKib: KIB });
    const stored = await passwords.hash('correct horse', 'a');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=8,t=2,p=1\$/);
    expect(await passwords.hash('correct horse', 'a')).not.toBe(stored);
    expect(await passwords.verify('correct horse', stored, 'a')).toBe(true);
    for (const [password, hash] of [
      ['Correct horse', stored],
      ['', stored],
      ['correct horse', null],
      ['', ''],
      ['correct horse', 'scrypt$6$x'],
      ['correct horse', 'scrypt$99$AAAA$AAAA'],
    ] as const) {
      expect(await passwords.verify(password, hash, 'a')).toBe(false);
    }
  });

  it('hashed with other parameters, or by scrypt, still match and need a rehash', async () => {
    const passwords = createPasswords({ memoryKib: KIB });
    const other = await createPasswords({ memoryKib: 16 }).hash('correct horse', 'a');
    for (const stored of [other, SCRYPT]) {
      expect(await passwords.verify('correct horse', stored, 'a')).toBe(true);
      expect(await passwords.verify('Correct horse', stored, 'a')).toBe(false);
      expect(passwords.needsRehash(stored)).toBe(true);
    }
    expect(passwords.needsRehash(await passwords.hash('correct horse', 'a'))).toBe(false);
  });

  it('are hashed with the parameters of OWASP by default', async () => {
    expect(await createPasswords().hash('correct horse', 'a')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('have recovery codes beside them, hashed by scrypt with 16 MiB by default', async () => {
    const expected = scryptSync('a code', 'a salt', 32, { N: 2 ** 14, r: 8, p: 1, maxmem: 2 ** 25 });
    expect(await createPasswords().hashCode('a code', 'a salt', 'a')).toEqual(expected);
  });

  it('of unknown users take the same path as those of users', async () => {
    // With a concurrency of one and no queue, a running hash shows in the refusal of the next.
    const passwords = createPasswords({ memoryKib: 4096, concurrency: 1, maxQueued: 0 });
    const stored = await passwords.hash('correct horse', 'a');
    for (const hash of [stored, null]) {
      const first = passwords.verify('x', hash, 'a');
      await expect(passwords.verify('x', stored, 'b')).rejects.toBeInstanceOf(HttpError);
      expect(await first).toBe(false);
    }
  });
});

describe('the queue of hashing', () => {
  const outcomes = async (work: Promise<unknown>[]) =>
    (await Promise.allSettled(work)).map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as HttpError).status,
    );
  const count = (list: unknown[], wanted: unknown) => list.filter((each) => each === wanted).length;

  it('is bounded: the rest gets a 429', async () => {
    const passwords = createPasswords({ memoryKib: 4096, concurrency: 2, maxQueued: 3, maxQueuedPerClient: 100 });
    const list = await outcomes(Array.from({ length: 40 }, (_, each) => passwords.hash('x', `client ${each}`)));
    expect([count(list, 'done'), count(list, 429)]).toEqual([5, 35]);
    expect(await outcomes([passwords.hash('x', 'a')])).toEqual(['done']);
  });

  it('is not filled by one client', async () => {
    const passwords = createPasswords({ memoryKib: 4096, concurrency: 1, maxQueued: 10, maxQueuedPerClient: 3 });
    const greedy = outcomes(Array.from({ length: 20 }, () => passwords.hash('x', 'greedy')));
    const others = outcomes(Array.from({ length: 5 }, (_, each) => passwords.hash('x', `client ${each}`)));
    expect([count(await greedy, 'done'), await others]).toEqual([3, new Array(5).fill('done')]);
    expect(await outcomes([passwords.hash('x', 'greedy')])).toEqual(['done']);
  });

  it('continues after a failure', async () => {
    const passwords = createPasswords({ memoryKib: 4096, concurrency: 1, maxQueued: 5 });
    const broken = passwords.hash(undefined as unknown as string, 'a');
    await expect(broken).rejects.toThrow();
    expect(await passwords.hash('x', 'a')).toMatch(/^\$argon2id/);
  });
});
