import { expect, it } from 'vitest';
import { createBatchedLookup } from '../../../control/db/batched-lookup.ts';

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
