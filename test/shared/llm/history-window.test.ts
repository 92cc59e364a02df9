import { describe, expect, test } from 'vitest';
import { historyStart, lineTokens } from '../../../shared/llm/history-window.ts';
import type { HistoryLine } from '../../../shared/llm/prompt.ts';
import { estimateTextTokens } from '../../../shared/llm/token-estimate.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const TEXTS = [
  'Yes.',
  'A table for two people tomorrow evening at seven. ',
  'कल शाम सात बजे दो लोगों के लिए एक मेज़ ',
  '🙂',
];

function randomHistory(random: () => number): HistoryLine[] {
  const below = (limit: number) => Math.floor(random() * limit);
  const text = () => TEXTS[below(TEXTS.length)]!.repeat(1 + below(12));
  return Array.from({ length: 1 + below(80) }, (_, index): HistoryLine => {
    const role = index % 2 === 0 && random() < 0.9 ? 'user' : 'agent';
    if (role === 'user' || random() > 0.2) return { role, text: text(), interrupted: false };
    const call = { id: `c${index}`, name: 'find_table', arguments: '{"people":2}' };
    return { role, text: '', interrupted: false, tool_runs: [{ call, result: text() }] };
  });
}

const tokensFrom = (history: readonly HistoryLine[], start: number) =>
  history.slice(start).reduce((sum, line) => sum + lineTokens(line), 0);

describe('the part of a conversation that the model gets', () => {
  test('is all of it while it takes less than four fifths of the context', () => {
    const history = randomHistory(seededRandom(3));
    const contextTokens = Math.ceil(tokensFrom(history, 0) / 0.8) + 100;
    expect(historyStart(history, 0, { contextTokens, otherTokens: 10 })).toBe(0);
  });

  test('fits whatever was said, or is the last turn alone; it begins with the caller; it keeps the last lines that fit', () => {
    const random = seededRandom(4);
    for (let run = 0; run < 2_000; run++) {
      const history = randomHistory(random);
      const contextTokens = 500 + Math.floor(random() * 8_000);
      const otherTokens = Math.floor(random() * contextTokens * 0.7);
      const from = Math.floor(random() * history.length * 0.3);
      const start = historyStart(history, from, { contextTokens, otherTokens });
      const limit = 0.8 * contextTokens - otherTokens;
      expect(start).toBeGreaterThanOrEqual(from);
      if (start === from) continue;
      expect(history[start]!.role).toBe('user');
      const lastTurn = history.findLastIndex(({ role }) => role === 'user');
      expect(tokensFrom(history, start) <= limit || start === lastTurn).toBe(true);
      // What stays is not cut again, nor by the next few words.
      expect(historyStart(history, start, { contextTokens, otherTokens })).toBe(start);
      const longer = historyStart([...history, { role: 'agent', text: 'Yes.', interrupted: false }], start, {
        ...{ contextTokens, otherTokens },
      });
      expect(longer).toBeGreaterThanOrEqual(start);
      // Nothing that would have fitted is left out of the last lines.
      const before = history.slice(from, start).findLastIndex(({ role }) => role === 'user') + from;
      if (before >= from && history.length - before <= 12) expect(tokensFrom(history, before)).toBeGreaterThan(limit);
    }
  });

  test('is cut rarely: the next cut of a growing conversation comes after a third of the context', () => {
    const history: HistoryLine[] = [];
    const cuts: number[] = [];
    let start = 0;
    for (let turn = 0; turn < 2_000; turn++) {
      history.push({ role: 'user', text: TEXTS[1]!, interrupted: false });
      history.push({ role: 'agent', text: TEXTS[1]!.repeat(2), interrupted: false });
      const next = historyStart(history, start, { contextTokens: 16_000, otherTokens: 2_000 });
      if (next !== start) cuts.push(turn);
      start = next;
    }
    const gaps = cuts.slice(1).map((turn, index) => turn - cuts[index]!);
    expect(cuts.length).toBeGreaterThan(5);
    expect(Math.min(...gaps) * (lineTokens(history[0]!) + lineTokens(history[1]!))).toBeGreaterThan(16_000 * 0.29);
  });
});

describe('the estimate of tokens', () => {
  // At least four characters a token in English, three in JSON, and of Hindi 1.4: what older tokenizers need.
  test.each([
    ['English', 'Could you book a table for two people tomorrow evening?', 10],
    ['Hindi', 'क्या आप कल शाम दो लोगों के लिए एक मेज़ बुक कर सकते हैं?', 39],
    ['JSON', '{"date":"2026-11-24","people":2,"name":"Asha"}', 15],
    ['emoji', '🙂🙂', 4],
  ])('is not too low, nor four times too high: %s', (_, text, tokens) => {
    expect(estimateTextTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(estimateTextTokens(text)).toBeLessThanOrEqual(tokens * 4);
  });
});
