import { describe, expect, test } from 'vitest';
import { redactJson, redactText } from '../../../shared/redaction/redact-json.ts';

const ALL = { cards: true, identity_numbers: true };
const redacted = (text: string, before = '') => redactText(text, ALL, undefined, before);

describe('is redacted', () => {
  test.each([
    ['my card is 4111111111111111', 'my card is [card number]'],
    ['4111 1111-1111.1111 thanks', '[card number] thanks'],
    ['it is four one one one, one one one one, um, one one one one one one one one', 'it is [card number]'],
    ['four triple one double one double one, and then one one one one one one one one', '[card number]'],
    ['चार एक एक एक एक एक एक एक और एक एक एक एक एक एक एक एक', '[card number]'],
    ['४१११ ११११ ११११ ११११', '[card number]'],
    ['forty one eleven eleven eleven, one second, 1111 1111', '[card number]'],
    ['amex 3782 822463 10005', 'amex [card number]'],
    ['rupay 6521 1111 1111 1117', 'rupay [card number]'],
    ['4111111111111111 expiry 09/27 and cvv 123', '[card number] expiry [card expiry] and cvv [card security code]'],
    ['valid till december 2027', 'valid till [card expiry]'],
    ['my aadhaar is 2345 6789 0124', 'my aadhaar is [Aadhaar]'],
    ['234567890124', '[Aadhaar]'],
    ['my PAN is ABCPE1234F', 'my PAN is [PAN]'],
    ['a b c p e one two three four f', '[PAN]'],
    ['ABCPE 1234 F', '[PAN]'],
    ['123-45-6789', '[SSN]'],
    ['my social is one two three four five six seven eight nine', 'my social is [SSN]'],
  ])('%s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  test('a number that was asked for', () => {
    expect(redacted('it is 123', 'and the security code?')).toBe('it is [card security code]');
    expect(redacted('one two three four five six seven eight nine', 'Your social security number?')).toBe('[SSN]');
  });

  test('sixteen digits that were called a card, one of which was misunderstood', () => {
    expect(redacted('4111 1111 1111 1112', 'What is your card number?')).toBe('[card number]');
  });
});

test.each([
  'call me on 9876543210 or +91 98765 43210',
  '919876543216',
  'my order number is 4029 5512 8841',
  'tracking 40295512884112345',
  'we are two people at seven thirty on 24 November 2026',
  'it costs 12,500 rupees, not 11,999',
  'flat 402, 560001 Bangalore, 3 bedrooms, 2 baths',
  'one two three four five six seven eight nine ten eleven',
  'do you have two or three of the four hundred',
  'Hello 1234 a',
  'the otp is 482913',
  'the meeting is from 9 to 10, then 11 to 12, 13 to 14 and 15 to 16',
])('stays: %s', (text) => {
  expect(redacted(text)).toBe(text);
});

test('the arguments of a tool are redacted by their value and by their name', () => {
  const args = {
    card_number: '4111',
    card: 4111111111111111,
    cvv: 123,
    expiry: '12/27',
    guests: 4,
    at: 1_764_000_000_000,
  };
  expect(redactJson(args, ALL)).toEqual({
    ...{ card_number: '[redacted]', card: '[redacted]', cvv: '[redacted]', expiry: '[redacted]' },
    ...{ guests: 4, at: 1_764_000_000_000 },
  });
});

test('what is not asked for stays', () => {
  const text = 'card 4111111111111111, aadhaar 2345 6789 0124';
  expect(redactText(text, { cards: true, identity_numbers: false })).toBe('card [card number], aadhaar 2345 6789 0124');
  expect(redactText(text, { cards: false, identity_numbers: true })).toBe('card 4111111111111111, aadhaar [Aadhaar]');
});
