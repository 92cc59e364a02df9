import { describe, expect, it } from 'vitest';
import { ID_PATTERN, newId, timeOfId } from '../../shared/ids.ts';

describe('an id', () => {
  it('is a version 7 UUID without dashes', () => {
    const id = newId();
    expect(id).toMatch(ID_PATTERN);
    expect(id[12]).toBe('7');
    expect('89ab').toContain(id[16]);
  });

  it('contains its time', () => {
    expect(timeOfId(newId(1_767_594_600_123))).toBe(1_767_594_600_123);
  });

  it('sorts by time', () => {
    const ids = [1, 255, 256, 65_536, 2 ** 40].map((at) => newId(at));
    expect([...ids].sort()).toEqual(ids);
  });

  it('is never the same twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newId(5))).size).toBe(1_000);
  });

  it.each(['', 'ABCDEF00ABCDEF00ABCDEF00ABCDEF00', `${'a'.repeat(31)}`, `${'a'.repeat(33)}`, `${'a'.repeat(31)}g`])(
    'is not %j',
    (text) => {
      expect(text).not.toMatch(ID_PATTERN);
    },
  );
});
