import { describe, expect, it } from 'vitest';
import { indexTerms, queryTerms } from '../../shared/knowledge-terms.ts';

describe('the words of a text', () => {
  it.each([
    ['What are your opening hours?', ['opening', 'hour']],
    ['Do you have parking at the hotel?', ['parking', 'hotel']],
    ["Is Sunday's lunch 1,500 rupees?", ['sunday', 'lunch', '1500', 'rupee']],
    ['Rooms, policies and prices; rooms.', ['room', 'policy', 'price']],
    ['रविवार को कब खुलता है?', ['रविवार', 'खुलत']],
    ['Sunday ko kab khulta hai', ['sunday', 'khulta']],
    ['कमरों का किराया', ['कमर', 'किराय']],
    ['hello, yes please', []],
    ['', []],
    ['!?…', []],
  ])('of the query "%s" leave out stop words', (text, words) => {
    expect(queryTerms(text)).toEqual(words);
  });

  it('are cut alike in passages and questions', () => {
    for (const [indexed, query] of [
      ['Room', 'rooms'],
      ['PRICE', 'prices'],
      ['policy', 'Policies'],
      ['फ़ीस', 'फ़ीस'],
      ['कमरा', 'कमरे'],
      ['₹1,500', '1500'],
      ['ｃａｆｅ', 'cafe'],
      ['today’s', 'today'],
    ]) {
      expect(indexTerms(indexed!), indexed).toEqual(queryTerms(query!));
    }
  });

  it('are alphanumeric, and of limited length', () => {
    const words = indexTerms(`a'b "c" | & ! (d) :* \\ <-> ${'x'.repeat(5_000)} e=f`);
    expect(words).toEqual(['ab', 'c', 'd', 'e', 'f']);
  });
});
