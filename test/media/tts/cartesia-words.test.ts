import { expect, it } from 'vitest';
import { readWords } from '../../../media/tts/cartesia-protocol.ts';

it('words whose times are beyond any number have no times', () => {
  expect(readWords({ words: ['a'], start: [0.1], end: [0.2] })).toEqual([{ word: 'a', startMs: 100, endMs: 200 }]);
  for (const time of [1e306, Number.MAX_VALUE]) {
    expect(readWords({ words: ['a'], start: [time], end: [time] })).toEqual([]);
    expect(readWords({ words: ['a'], start: [0], end: [time] })).toEqual([]);
  }
});
