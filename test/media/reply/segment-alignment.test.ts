import { describe, expect, it } from 'vitest';
import type { TextSegment } from '../../../media/playout/spoken-text.ts';
import { createSpokenText } from '../../../media/playout/spoken-text.ts';
import { createSpeechSegmenter, segmentText } from '../../../media/reply/speech-segmenter.ts';

/** Returns the spans of the original with their spoken forms: `₹500 | for` = `five hundred rupees | for`. */
function parts(text: string, language: string): string[] {
  return segmentText(text, language).flatMap(({ spoken, spans }) => {
    let from = 0;
    return (spans ?? []).map(({ spokenEnd, original }) => {
      const said = spoken.slice(from, spokenEnd);
      from = spokenEnd;
      return `${original.trim()} = ${said.trim()}`;
    });
  });
}

/** Returns the transcript when playout stopped at the end of `playedOut`. */
function cutAfter(text: string, language: string, playedOut: string): string {
  const spokenText = createSpokenText();
  const segments = segmentText(text, language);
  for (const segment of segments) spokenText.add(segment);
  const spoken = segments.map((segment) => segment.spoken).join(' ');
  const at = spoken.indexOf(playedOut);
  expect(at).toBeGreaterThanOrEqual(0);
  // Synthesizers report a space after every segment. A character is played out when the next one begins.
  const startMs = Array.from(spoken, (_, index) => index * 10);
  spokenText.addTimings(spoken, startMs);
  return spokenText.playedOut((at + playedOut.length) * 10 + 5, spoken.length * 10, true);
}

describe('a match of a rule is played out as a whole', () => {
  it.each([
    [
      'en',
      'It is ₹1,250 for Dr. Rao.',
      [
        'It = It',
        'is = is',
        '₹1,250 = one thousand two hundred fifty rupees',
        'for = for',
        'Dr. = Doctor',
        'Rao. = Rao.',
      ],
    ],
    ['en', 'On 21 Nov 2026 ok', ['On = On', '21 Nov 2026 = twenty first of November twenty twenty six', 'ok = ok']],
    ['en', 'Pay ₹2 crore 50 lakh.', ['Pay = Pay', '₹2 crore 50 lakh. = two crore fifty lakh rupees.']],
    ['en', 'only ₹500 / month now', ['only = only', '₹500 = five hundred rupees', '/ month = per month', 'now = now']],
    ['en', 'only ₹500/month now', ['only = only', '₹500/month = five hundred rupees per month', 'now = now']],
    ['en', 'Rs. 50 & tea', ['Rs. 50 = fifty rupees', '& = and', 'tea = tea']],
    ['en', '**₹50** only, *please*', ['**₹50** = fifty rupees', 'only, = only,', '*please* = please']],
    [
      'en',
      'See [page 3.5](https://a.b/c) of it',
      ['See = See', '[page = page', '3.5](https://a.b/c) = three point five', 'of = of', 'it = it'],
    ],
    ['en', 'a <b>₹5</b> note', ['a = a', '<b>₹5</b> = five rupees', 'note = note']],
    ['en', 'One ₹5\nTwo', ['One = One', '₹5 = five rupees.', 'Two = Two']],
    ['hi', 'फ़ीस ₹500 है।', ['फ़ीस = फ़ीस', '₹500 = पाँच सौ रुपये', 'है। = है।']],
  ] as const)('%s: %s', (language, text, expected) => {
    const normal = (lines: readonly string[]) => lines.map((line) => line.normalize('NFC'));
    expect(normal(parts(text, language))).toEqual(normal(expected));
  });

  it('when its end was played out', () => {
    const text = 'It is ₹1,250 for you.';
    expect(cutAfter(text, 'en', 'It is')).toBe('It is');
    expect(cutAfter(text, 'en', 'It is one thousand')).toBe('It is');
    expect(cutAfter(text, 'en', 'two hundred fifty rupee')).toBe('It is');
    expect(cutAfter(text, 'en', 'two hundred fifty rupees')).toBe('It is ₹1,250');
    expect(cutAfter(text, 'en', 'rupees fo')).toBe('It is ₹1,250');
    expect(cutAfter(text, 'en', 'for you.')).toBe(text);
  });

  it('in later segments too', () => {
    const text = 'That is fine, madam. It costs ₹1,250 in all. We open at 7:30 p.m. tomorrow.';
    expect(segmentText(text, 'en').length).toBeGreaterThan(2);
    expect(cutAfter(text, 'en', 'It costs one thousand')).toBe('That is fine, madam. It costs');
    expect(cutAfter(text, 'en', 'fifty rupees in')).toBe('That is fine, madam. It costs ₹1,250 in');
    expect(cutAfter(text, 'en', 'seven thirty')).toBe('That is fine, madam. It costs ₹1,250 in all. We open at');
    expect(cutAfter(text, 'en', 'tomorrow.')).toBe(text);
  });
});

const SAMPLES = [
  [
    'en',
    'Your total is **₹1,25,000**, due on 21/11/2026 at 7:30 p.m. 😀 Shall I go on?\n- 10% off\n- Mr. Sharma & Co.',
  ],
  ['en', 'Call +91 98765 43210 or 1800-123-4567. [See](https://a.example/b?c=d.e,f) it — `now`… <b>24/7</b> <3'],
  ['en', 'Cafe\u0301 ₹5, cafe\u0301 ~₹6 naïve | 10-12 km | #42\n```\ncode 5\n```\n5 min. & out'],
  ['hi', 'आपका बिल ₹1,25,000 है।कल शाम ७:३० बजे, डॉ. राव का फ़ोन +91 98765 43210 है। बड़ा ढाई'],
  ['fr', 'Il coûte **12,50 €** le 21/11/2026 — a\u0300 19:00. Bon !'],
] as const;

describe('for any text', () => {
  it.each(SAMPLES)('%s: %s', (language, text) => {
    const segments = segmentText(text, language);
    const spokenText = createSpokenText();
    for (const segment of segments) spokenText.add(segment);
    const withoutCode = text.replace('```\ncode 5\n```', ' ');
    expect(spokenText.fullText()).toBe(withoutCode);
    for (const { spoken, spans = [] } of segments) {
      const ends = spans.map((span) => span.spokenEnd);
      expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      if (spans.length > 0) expect(ends.at(-1)).toBe(spoken.length);
      // A span never ends inside a word.
      for (const end of ends.slice(0, -1)) expect(spoken.slice(end - 1, end + 1)).toMatch(/\s|[^\p{L}\p{N}].|^.$/u);
    }
    // The transcript grows with the playout position and is always a prefix.
    const length = segments.reduce((sum, segment) => sum + segment.spoken.length, 0);
    let before = '';
    for (let positionMs = 0; positionMs <= length; positionMs++) {
      const transcript = spokenText.playedOut(positionMs, length, true);
      expect(withoutCode.trimStart().startsWith(transcript)).toBe(true);
      expect(transcript.length).toBeGreaterThanOrEqual(before.length);
      before = transcript;
    }
    expect(before).toBe(withoutCode.trim());
  });

  it.each(SAMPLES)('the spans do not depend on the chunks: %s: %s', (language, text) => {
    const cut = (chunks: string[]): TextSegment[] => {
      const segmenter = createSpeechSegmenter({ language });
      return [...chunks.flatMap((chunk) => segmenter.push(chunk)), ...segmenter.flush()];
    };
    const whole = cut([text]);
    expect(cut(text.split(''))).toEqual(whole);
    for (let at = 1; at < text.length; at++) expect(cut([text.slice(0, at), text.slice(at)])).toEqual(whole);
  });
});
