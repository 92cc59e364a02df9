import { expect, it } from 'vitest';
import { mutationsOf, withMutations } from '../../dev/mutants/mutations.ts';

const changed = (source: string) =>
  mutationsOf(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end));

it.each([
  ['x = a < b;', ['', 'x = a <= b;']],
  ['const x = a === b ? 1 : 2;', ['const x = !(a === b) ? 1 : 2;', 'const x = a !== b ? 1 : 2;']],
  ['const x = !a;', ['const x = a;']],
  ['const x = Math.min(1, 2) - 3;', ['const x = Math.min(1, 2) + 3;', 'const x = Math.max(1, 2) - 3;']],
  ['const x: Array<true> = [true];', ['const x: Array<true> = [false];']],
  ["if (a) this.log.warn({ b: c > d }, 'e');", ["if (!(a)) this.log.warn({ b: c > d }, 'e');"]],
  ['type A = true; interface B { c: false }', []],
])('the mutants of %s', (source, expected) => {
  expect(changed(source)).toEqual(expected);
});

it('are all in one text, which does as the original unless one is active', () => {
  const source =
    'let n = 0; for (let i = 0; i < 3; i++) { if (i > 0 && !(i === 5)) n += i; else n = n - 1; } return n;';
  const body = mutationsOf(`function f() { ${source} }`);
  const offset = 'function f() { '.length;
  const moved = body.map((each) => ({ ...each, start: each.start - offset, end: each.end - offset }));
  const text = withMutations(source, moved, 7);
  const run = (active: number) => {
    (globalThis as { __isMutant?: unknown }).__isMutant = (id: number) => id === active;
    return new Function(text)() as number;
  };
  expect(run(-1)).toBe(2);
  const results = moved.map((_, index) => run(7 + index));
  expect(results.filter((result) => result !== 2).length).toBeGreaterThan(5);
  delete (globalThis as { __isMutant?: unknown }).__isMutant;
});
