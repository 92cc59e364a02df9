import { expect, test } from 'vitest';
import { createSpokenText } from '../../../media/playout/spoken-text.ts';

function spoken(...segments: [original: string, spoken?: string][]) {
  const text = createSpokenText();
  for (const [original, said = original] of segments) text.add({ original, spoken: said });
  return text;
}

test('without timings the words before a moment follow the share of the audio', () => {
  const text = spoken(['one two three four']);
  expect(text.playedOut(900, 1800, true)).toBe('one two');
  expect(text.playedOut(1800, 1800, true)).toBe('one two three four');
});

test('a word that is begun but not finished is not played out', () => {
  expect(spoken(['tomorrow morning']).playedOut(800, 1600, true)).toBe('tomorrow');
  expect(spoken(['tomorrow']).playedOut(400, 800, true)).toBe('');
});

test('character timings are used where they exist', () => {
  const text = spoken(['ab cd ef']);
  text.addTimings('ab cd ef', [0, 10, 20, 1000, 1010, 1020, 2000, 2010]);
  expect(text.playedOut(500, 3000, false)).toBe('ab');
  expect(text.playedOut(1500, 3000, false)).toBe('ab cd');
});

test('without timings or a length, a typical rate of speech is assumed', () => {
  expect(spoken(['hello there my friend']).playedOut(65 * 12, 400, false)).toBe('hello there');
});

test('the result is the original, the position counts in the spoken form', () => {
  const text = spoken(['**Yes**, ', 'Yes, '], ['at 7 pm.', 'at seven p m.']);
  expect(text.fullText()).toBe('**Yes**, at 7 pm.');
  expect(text.playedOut(5 * 65, 0, false)).toBe('**Yes**,');
});

test('a span spoken in many words is played out with the last of them', () => {
  const text = createSpokenText();
  text.add({
    original: 'It is ₹20 now.',
    spoken: 'It is twenty rupees now.',
    spans: [
      { spokenEnd: 5, original: 'It is' },
      { spokenEnd: 19, original: ' ₹20' },
      { spokenEnd: 24, original: ' now.' },
    ],
  });
  expect(text.playedOut(1850, 2400, true)).toBe('It is');
  expect(text.playedOut(1950, 2400, true)).toBe('It is ₹20');
  expect(text.playedOut(2400, 2400, true)).toBe('It is ₹20 now.');
});

test('a code block is never played out', () => {
  const text = createSpokenText();
  text.add({ original: 'Like this:\n', spoken: 'Like this:' });
  text.add({ original: '```\nls\n```', spoken: '', spans: [{ spokenEnd: 0, original: '' }] });
  expect(text.fullText()).toBe('Like this:\n');
  expect(text.playedOut(900, 900, true)).toBe('Like this:');
});

test('timings are aligned by letters and digits, whatever spaces and punctuation the synthesizer adds or leaves out', () => {
  for (const reported of ['ab, cd ef.', ' ab, cd  ef. ', 'abcdef', 'ab cd ef', 'ab- cd ef']) {
    const text = spoken(['ab, ', 'ab,'], ['— ', '—'], ['cd ef.']);
    const letters = [...reported].map((letter) => 'abcdef'.indexOf(letter));
    let last = 0;
    const startMs = letters.map((place) => {
      last = place < 0 ? last + 30 : place * 100;
      return last;
    });
    text.addTimings(reported, startMs);
    expect(text.playedOut(195, 1000, true)).toBe('');
    expect(text.playedOut(290, 1000, true)).toBe('ab, —');
    expect(text.playedOut(405, 1000, true)).toBe('ab, — cd');
  }
});

test('a word is not played out before the end of its last letter', () => {
  const text = spoken(['ab cd']);
  text.addTimings('ab cd', [0, 100, 200, 300, 400]);
  expect(text.playedOut(150, 500, true)).toBe('');
  expect(text.playedOut(450, 500, true)).toBe('ab');
  expect(text.playedOut(500, 500, true)).toBe('ab cd');
});

test('a letter that begins at the moment is not played out, the ones before it are', () => {
  const text = spoken(['ab cd ef']);
  text.addTimings('ab cd ef', [0, 100, 200, 300, 400, 500, 600, 700]);
  expect(text.playedOut(500, 9_000, false)).toBe('ab');
  expect(text.playedOut(501, 9_000, false)).toBe('ab cd');
});

test('nothing is played out at position 0', () => {
  expect(spoken(['hello']).playedOut(0, 800, true)).toBe('');
});

test('what follows the last timing is spread over the rest of the audio', () => {
  const text = spoken(['ab cd ef']);
  text.addTimings('ab ', [0, 100, 200]);
  expect(text.playedOut(600, 1_000, true)).toBe('ab cd');
  expect(text.playedOut(500, 1_000, true)).toBe('ab');
});

test('a segment that was removed takes its timings along', () => {
  const text = spoken(['ab '], ['cd']);
  text.addTimings('ab cd', [0, 10, 20, 30, 40]);
  text.removeFrom(1);
  text.add({ original: 'xy', spoken: 'xy' });
  text.addTimings('xy', [500, 600]);
  expect(text.playedOut(550, 1_000, false)).toBe('ab');
  expect(text.fullText()).toBe('ab xy');
});

test('characters without a time and times without a character are ignored', () => {
  for (const [reported, startMs] of [
    ['ab', [0, 100, 5_000]],
    ['ab cd', [0, 100]],
  ] as const) {
    const text = spoken(['ab cd']);
    text.addTimings(reported, startMs);
    // Behind 'ab' the usual rate is assumed.
    expect(text.playedOut(400, 1_000, false)).toBe('ab cd');
  }
});
