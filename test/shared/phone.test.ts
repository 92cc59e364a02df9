import { expect, it } from 'vitest';
import { E164_PATTERN, maskNumber, toE164 } from '../../shared/phone.ts';

it.each(['+14155550123', '+919876543210', '+1234567'])('%s is a number', (number) => {
  expect(number).toMatch(E164_PATTERN);
});

it.each(['', '14155550123', '+0123456789', '+123456', '+1234567890123456', '+1 415 555', '+1415555012x'])(
  '%j is none',
  (number) => {
    expect(number).not.toMatch(E164_PATTERN);
  },
);

it('the plus is put where a carrier leaves it out', () => {
  expect(toE164('14155550123')).toBe('+14155550123');
  expect(toE164('+1 (415) 555-0123')).toBe('+14155550123');
  expect(toE164('anonymous')).toBe('');
});

it('a masked number cannot be called', () => {
  expect(maskNumber('+14155550123')).toBe('+14***23');
  expect(maskNumber('+1234')).toBe('***');
});
