import { expect, it } from 'vitest';
import { type Cell, csvLines } from '../../../control/http/csv.ts';

it('quotes what would end a cell or a line, and leaves the rest as it is', () => {
  const plain: Cell[] = ['plain', ' spaced ', 'आशा', '', null, 0, -1.5, true];
  expect(csvLines([plain, ['a', 'b']])).toBe('plain, spaced ,आशा,,,0,-1.5,true\r\na,b\r\n');
  const quoted: Cell[] = ['a,b', 'say "no"', 'two\nlines', 'two\r\nlines', 'a\tb'];
  expect(csvLines([quoted])).toBe('"a,b","say ""no""","two\nlines","two\r\nlines","a\tb"\r\n');
});

it('disarms a formula, and quotes it where its words want it', () => {
  expect(csvLines([['=1', '=1,2', '+919811112222', '-5']])).toBe(`'=1,"'=1,2",+919811112222,-5\r\n`);
});
