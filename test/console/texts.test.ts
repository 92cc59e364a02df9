import { expect, it } from 'vitest';
import { t, tn } from '../../console/texts/texts.ts';

it('values and numbers are put in', () => {
  expect(t('Hello {{name}}: a.b', { name: '<Asha>' })).toBe('Hello <Asha>: a.b');
  expect(tn('{{count}} call', '{{count}} calls', 1)).toBe('1 call');
  expect(tn('{{count}} call', '{{count}} calls', 12_345)).toBe('12,345 calls');
});
