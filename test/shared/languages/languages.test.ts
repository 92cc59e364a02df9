import { describe, expect, test } from 'vitest';
import { LABELS, languageFigures, readLines } from '../../../bench/language-figures.ts';
import { completeness } from '../../../media/turn/completeness.ts';
import { readGreeting } from '../../../media/turn/greeting-words.ts';
import { interruptionVerdict } from '../../../media/turn/interruption-verdict.ts';
import { SCRIPTS } from '../../../shared/languages/language.ts';
import { phrasesOf } from '../../../shared/languages/phrases.ts';
import { baseCode, LANGUAGES, languageOf } from '../../../shared/languages/registry.ts';
import { turnWords } from '../../../shared/languages/turn-words.ts';
import { plainWords } from '../../../shared/words.ts';

/** Every list that must not be empty; the others are there where a language has such words. */
const NEEDED = [
  'backchannels',
  'commands',
  'courtesies',
  'hesitations',
  'incomplete',
  'incomplete_without_stop',
  'answers',
  'closings',
] as const;

describe.each(LANGUAGES.map((language) => [language.code, language] as const))('the file of %s', (code, language) => {
  test('has what the schema asks for', () => {
    expect(code).toMatch(/^[a-z]{2}$/);
    expect(SCRIPTS).toEqual(expect.arrayContaining([...language.scripts]));
    expect(language.mixes.map((mixed) => languageOf(mixed)?.code)).toEqual(language.mixes);
    for (const list of NEEDED) expect(phrasesOf(language.turn[list]).length, list).toBeGreaterThan(0);
    expect(language.dictation.digits.map((names) => phrasesOf(names).length)).not.toContain(0);
    expect(language.dictation.two_digits.split(',')).toHaveLength(90);
    expect(phrasesOf(language.common).length).toBeGreaterThan(15);
    for (const text of Object.values(language.texts).flat()) expect(plainWords(text).length).toBeGreaterThan(1);
  });

  test('names nothing twice', () => {
    const lists = { ...language.turn, number_words: language.dictation.number_words, common: language.common };
    for (const [name, list] of Object.entries(lists)) {
      const phrases = phrasesOf(list);
      expect(
        phrases.filter((phrase, at) => phrases.indexOf(phrase) !== at),
        name,
      ).toEqual([]);
    }
    const numbers = phrasesOf(...language.dictation.two_digits.split(',').flatMap((names) => names.split('/')));
    expect(numbers.filter((name, at) => numbers.indexOf(name) !== at)).toEqual([]);
  });

  test('takes no command for a backchannel', () => {
    const words = turnWords(code);
    expect(phrasesOf(language.turn.commands).filter((command) => words.isBackchannel(command.split(' ')))).toEqual([]);
  });

  test('has at least 60 held-out lines of every kind', () => {
    const lines = readLines(code);
    expect(lines.length).toBeGreaterThanOrEqual(60);
    expect(new Set(lines.map(({ label }) => label))).toEqual(new Set(LABELS));
  });

  test('takes its held-out lines for what they are', () => {
    const { verdict, completeWithoutStop, incompleteWithStop, ...figures } = languageFigures(code);
    expect(verdict).toBeGreaterThanOrEqual(0.88);
    expect(completeWithoutStop).toBeGreaterThanOrEqual(0.9);
    expect(incompleteWithStop).toBeGreaterThanOrEqual(0.4);
    for (const [label, { precision, recall }] of Object.entries(figures)) {
      expect(precision, label).toBeGreaterThanOrEqual(0.85);
      expect(recall, label).toBeGreaterThanOrEqual(0.7);
    }
  });
});

describe('a language without a file', () => {
  const japanese = turnWords('ja');

  test.each(['right yeah', 'claro sí', 'stop', 'haan', 'wait'])('has no meaning for "%s"', (text) => {
    const words = plainWords(text);
    expect([japanese.isBackchannel(words), japanese.isCommand(words)]).toEqual([false, false]);
  });

  test('interrupts by the number of words, and is complete by no word', () => {
    expect(interruptionVerdict('はい そうです', 2, true, japanese)).toBe('interrupt');
    expect(interruptionVerdict('はい', 2, true, japanese)).toBe('resume');
    expect(completeness('I would like and', japanese)).toBe('unsure');
    expect(completeness('0312345678', japanese)).toBe('unsure');
    expect(completeness('お願いできますか?', japanese)).toBe('complete');
    expect(readGreeting('please leave a message after the tone', '', japanese).certain).toBe(false);
  });
});

test.each([
  ['es', 'Sí, claro.'],
  ['fr', 'Oui, d’accord.'],
  ['de', 'Ja, genau.'],
  ['pt', 'Tá bom, claro.'],
  ['ar', 'نَعَم، أكيد'],
  ['ta', 'ஆமா, ok.'],
])('in %s the agent goes on after "%s"', (code, text) => {
  expect(interruptionVerdict(text, 1, true, turnWords(code))).toBe('resume');
});

test.each([
  ['es', 'sure, right'],
  ['fr', 'yeah sure'],
  ['de', 'haan ji'],
])('in %s "%s" is no backchannel', (code, text) => {
  expect(turnWords(code).isBackchannel(plainWords(text))).toBe(false);
});

test('a "no" commands in Spanish when it is all that was said', () => {
  const spanish = turnWords('es');
  expect(spanish.isCommand(plainWords('No, no.'))).toBe(true);
  expect(spanish.isCommand(plainWords('Bueno, no.'))).toBe(true);
  expect(spanish.isCommand(plainWords('claro, no hay prisa'))).toBe(false);
});

test.each([
  ['es', 'mi número es seis doce treinta y cuatro', 'dictating'],
  ['es', '612 345 678', 'complete'],
  ['fr', 'zéro six douze trente-quatre cinquante-six soixante-dix-huit', 'complete'],
  ['de', 'null eins sieben eins zwo drei', 'dictating'],
  ['bn', '৯৮৩০১ ২৩৪৫৬', 'complete'],
  ['ar', '٠٥٠١٢٣٤٥٦٧', 'complete'],
  ['ta', 'தொண்ணூற்றி எட்டு நாற்பது பத்து', 'dictating'],
])('in %s "%s" is %s', (code, text, expected) => {
  expect(completeness(text, turnWords(code))).toBe(expected);
});

test('a language is found by its tag, with a region or without', () => {
  expect(['es-MX', 'PT_br', ' hi ', 'xx', ''].map((tag) => languageOf(tag)?.code ?? null)).toEqual([
    'es',
    'pt',
    'hi',
    null,
    null,
  ]);
  expect(baseCode('EN-in')).toBe('en');
});
