import { expect, test } from 'vitest';
import { isJsonPath, valueAtPath } from '../../shared/json-path.ts';

const ORDER = { order: { items: [{ price: 5 }], 'ship-to': 'Pune' }, list: [[1, 2]] };

test.each([
  ['', ORDER],
  ['order.items[0].price', 5],
  ['order.ship-to', 'Pune'],
  ['list[0][1]', 2],
  ['order.items[1].price', undefined],
  ['order.items.price', undefined],
  ['order.constructor', undefined],
  ['order.items[0].price.more', undefined],
])('the value at %j', (path, value) => {
  expect(valueAtPath(ORDER, path)).toEqual(value);
  expect(isJsonPath(path)).toBe(true);
});

test('a list may be the beginning', () => {
  expect(valueAtPath([{ id: 7 }], '[0].id')).toBe(7);
});

test.each(['.a', 'a..b', 'a[', 'a[x]', 'a]', '[0]a', 'a.'])('%j is no path', (path) => {
  expect(isJsonPath(path)).toBe(false);
});
