import { describe, expect, it } from 'vitest';
import {
  cleanText,
  MAX_OVERLAP_CHARACTERS,
  MAX_PASSAGE_CHARACTERS,
  splitPassages,
  TARGET_PASSAGE_CHARACTERS,
} from '../../../control/knowledge/split-passages.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const sentence = (n: number) => `Sentence number ${n} speaks of the restaurant and of what it serves in the evening.`;
const paragraph = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => sentence(from + index)).join(' ');

describe('a text', () => {
  it('that is short is one passage, with its heading', () => {
    expect(splitPassages('Opening hours\nWe open at nine.\n\nParking\nBehind the house.')).toEqual([
      'Opening hours\nWe open at nine.\nParking\nBehind the house.',
    ]);
  });

  it('of paragraphs is cut between them once a passage says enough', () => {
    const passages = splitPassages([paragraph(1, 7), paragraph(8, 7), paragraph(15, 2)].join('\n\n'));
    expect(passages[0]).toBe(paragraph(1, 7));
    expect(passages[0]!.length).toBeGreaterThan(TARGET_PASSAGE_CHARACTERS);
    expect(passages[1]).toBe(paragraph(8, 7));
    expect(passages[2]).toBe(paragraph(15, 2));
  });

  it('of one long paragraph is cut between sentences, and the last one is said again', () => {
    const passages = splitPassages(paragraph(1, 30));
    expect(passages.length).toBeGreaterThan(2);
    for (const [index, passage] of passages.entries()) {
      expect(passage.length).toBeLessThanOrEqual(MAX_PASSAGE_CHARACTERS);
      expect(passage).toMatch(/^Sentence .*evening\.$/s);
      const before = passages[index - 1];
      if (!before) continue;
      const shared = before.match(/Sentence number \d+[^.]*\.$/)![0];
      expect(shared.length).toBeLessThanOrEqual(MAX_OVERLAP_CHARACTERS);
      expect(passage.startsWith(shared)).toBe(true);
    }
  });

  it('without a full stop is cut between words', () => {
    const words = Array.from({ length: 600 }, (_, index) => `word${index}`);
    const passages = splitPassages(words.join(' '));
    expect(passages.every((passage) => passage.length <= MAX_PASSAGE_CHARACTERS)).toBe(true);
    expect(passages.join(' ').split(' ')).toEqual(words);
  });

  it('in Hindi is cut at its own full stop', () => {
    const hindi = (n: number) => `यह वाक्य ${n} है जो हमारे भोजनालय और उसके समय के बारे में बताता है।`;
    const passages = splitPassages(Array.from({ length: 30 }, (_, index) => hindi(index)).join(' '));
    expect(passages.length).toBeGreaterThan(1);
    for (const passage of passages) expect(passage).toMatch(/^यह वाक्य .*।$/s);
  });

  it('that is one endless word is cut without tearing a character', () => {
    const passages = splitPassages('😀a'.repeat(2_000));
    expect(passages.join('')).toBe('😀a'.repeat(2_000));
    expect(passages.every((passage) => passage.isWellFormed() && passage.length <= MAX_PASSAGE_CHARACTERS)).toBe(true);
  });

  it('of signs only is no passage', () => {
    expect(splitPassages(cleanText(' \n\t --- \u200b\n\n *** '))).toEqual([]);
    expect(splitPassages('')).toEqual([]);
  });

  it('loses no word, whatever it looks like', () => {
    const next = seededRandom(7);
    const random = (below: number) => Math.floor(next() * below);
    for (let round = 0; round < 60; round++) {
      const words = Array.from({ length: 50 + random(900) }, (_, index) => `w${index}`);
      const text = words.map((word) => word + ([' ', ' ', ' ', '. ', '\n', '\n\n', '? '][random(7)] ?? ' ')).join('');
      const passages = splitPassages(cleanText(text));
      const seen = passages.flatMap((passage) => passage.match(/w\d+/g) ?? []).map((word) => Number(word.slice(1)));
      expect(new Set(seen).size).toBe(words.length);
      expect(passages.every((passage) => passage.length <= MAX_PASSAGE_CHARACTERS)).toBe(true);
      // In order; only whole overlaps are said twice.
      for (const [index, number] of seen.entries()) expect(number).toBeLessThanOrEqual((seen[index - 1] ?? -1) + 1);
    }
  });
});

it('cleanText keeps lines, paragraphs and Hindi joiners', () => {
  expect(cleanText('\ufeffa\r\nb\r\r\n\n\n c \u0007 d\u00a0e\t f ')).toBe('a\nb\n\nc d e f');
  expect(cleanText('क्\u200dष')).toBe('क्\u200dष');
});
