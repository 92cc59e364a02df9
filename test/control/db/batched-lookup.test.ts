import { describe, expect, it } from 'vitest';
import { createBatchedLookup, createSharedLookup } from '../../../control/db/batched-lookup.ts';

it('makes one query for look-ups of one turn, and another for later ones', async () => {
  const asked: string[][] = [];
  const rows = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  const find = createBatchedLookup(async (keys) => {
    asked.push([...keys].sort());
    return new Map(rows);
  });
  expect(await Promise.all([find('a'), find('b'), find('a'), find('c')])).toEqual([1, 2, 1, null]);
  expect(asked).toEqual([['a', 'b', 'c']]);
  expect(await find('a')).toBe(1);
  expect(asked).toHaveLength(2);
});

it('never returns what was read before the look-up', async () => {
  const ends: (() => void)[] = [];
  let state = 'valid';
  const find = createBatchedLookup(async () => {
    const seen = state;
    await new Promise<void>((resolve) => ends.push(resolve));
    return new Map([['key', seen]]);
  });
  const before = find('key');
  await expect.poll(() => ends.length).toBe(1);
  // The first query is running when the key is revoked: later look-ups must see that.
  state = 'revoked';
  const after = find('key');
  await expect.poll(() => ends.length).toBe(2);
  for (const end of ends) end();
  expect([await before, await after]).toEqual(['valid', 'revoked']);
});

it('rejects all look-ups of a failed query, and no others', async () => {
  let failing = true;
  const find = createBatchedLookup(async () => {
    if (failing) throw new Error('the database is away');
    return new Map([['a', 1]]);
  });
  const both = await Promise.allSettled([find('a'), find('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  failing = false;
  expect(await find('a')).toBe(1);
});

describe('a look-up that is shared', () => {
  it('is carried out once for all of one turn, by name, and again for a later one', async () => {
    const share = createSharedLookup<string>();
    let carriedOut = 0;
    const look = (name: string) => share(name, async () => `${name} ${++carriedOut}`);
    expect(await Promise.all([look('a'), look('b'), look('a')])).toEqual(['a 1', 'b 2', 'a 1']);
    expect(await look('a')).toBe('a 3');
  });

  it('begins after it was asked for, also while an earlier one goes on', async () => {
    const share = createSharedLookup<string>();
    const ends: (() => void)[] = [];
    let state = 'valid';
    const look = () =>
      share('key', async () => {
        const seen = state;
        await new Promise<void>((resolve) => ends.push(resolve));
        return seen;
      });
    const before = look();
    await expect.poll(() => ends.length).toBe(1);
    state = 'revoked';
    const after = look();
    await expect.poll(() => ends.length).toBe(2);
    for (const end of ends) end();
    expect([await before, await after]).toEqual(['valid', 'revoked']);
  });

  it('fails for all of its turn, and not for the next', async () => {
    const share = createSharedLookup<string>();
    const fail = () => share('key', () => Promise.reject(new Error('the database is away')));
    const failed = await Promise.allSettled([fail(), fail()]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await share('key', async () => 'found')).toBe('found');
  });
});
