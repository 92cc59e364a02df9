import { describe, expect, it, test } from 'vitest';
import { completeness } from '../../media/turn/completeness.ts';
import { interruptionVerdict } from '../../media/turn/interruption-verdict.ts';
import { speechRedactor } from '../../shared/languages/redact-speech.ts';
import { LANGUAGES } from '../../shared/languages/registry.ts';
import { turnWords } from '../../shared/languages/turn-words.ts';

const english = speechRedactor('en-IN');

describe('of what a caller said', () => {
  it.each([
    ['My name is Ravi Kumar, and', 'my xxxx is Xxxx Xxxxx, and'],
    ['I am Will', 'i am will'],
    ['the table for two at seven', 'the xxxxx for one at one'],
    ['twenty five, sixteen or forty', 'twenty one, eleven or twenty'],
    ['98765 on the 3rd', '11111 on the 1xx'],
    ['nine oh five', 'one one one'],
    ['oh okay', 'oh okay'],
    ['a r a v i', 'x x x x x'],
    ['one moment', 'one moment'],
  ])('%s becomes: %s', (said, redacted) => {
    expect(english(said)).toBe(redacted);
  });
});

const SAID = [
  'mm-hmm',
  'no',
  'my number is nine eight seven six five four three two one zero',
  'my email is',
  'yes please',
];

test('turns are taken as before', () => {
  const known = turnWords('en');
  const decisions = (text: string) => [completeness(text, known), interruptionVerdict(text, 2, true, known)];
  expect(SAID.map((text) => decisions(english(text)))).toEqual(SAID.map(decisions));
});

test.each(LANGUAGES.map(({ code }) => code))('in %s what was replaced stays as it is', (code) => {
  const redact = speechRedactor(code);
  const once = redact('Ravi ek do teen, 98765. Oh nine, vingt et un; एक दो तीन');
  expect(redact(once)).toBe(once);
  expect(once).not.toMatch(/Ravi|98765|nine/);
});

test('a language without lists keeps nothing', () => {
  expect(speechRedactor('ja')('yes 山田 42')).toBe('xxx xx 11');
});
