import { describe, expect, test } from 'vitest';
import { alignedSpokenForm } from '../../media/reply/spoken-form.ts';
import { createIpaText, createPronunciation, isIpa } from '../../shared/pronunciation.ts';

const spoken = (text: string, word: string, say: string, language = 'en') =>
  alignedSpokenForm(text, language, createPronunciation([{ word, say }])).spoken;

describe('a word with a pronunciation', () => {
  test.each([
    ['is said so wherever it stands', 'Nguyen called Nguyen.', 'Nguyen', 'win', 'win called win.'],
    ['with other capitals', 'NGUYEN and nguyen', 'Nguyen', 'win', 'win and win'],
    ['before an apostrophe or a stop', "Nguyen's car, Nguyen.", 'Nguyen', 'win', "win's car, win."],
    ['with either apostrophe', 'Mr O’Brien', "O'Brien", 'oh bryan', 'Mister oh bryan'],
    ['of several words, over any space', 'to New  Delhi now', 'New Delhi', 'Dilli', 'to Dilli now'],
    ['with signs in it', 'we use C++ and Node.js', 'C++', 'see plus plus', 'we use see plus plus and Node.js'],
    ['with digits, before the rules for numbers', 'a B2B deal', 'B2B', 'bee to bee', 'a bee to bee deal'],
  ])('%s', (_, text, word, say, result) => {
    expect(spoken(text, word, say)).toBe(result);
  });

  test.each([
    ['inside of a longer word', 'artistic art', 'art', 'AART', 'artistic AART'],
    ['at the end of a longer word', 'smart art', 'art', 'AART', 'smart AART'],
    ['in capitals alone is another than in small letters', 'it is IT', 'IT', 'eye tee', 'it is eye tee'],
  ])('%s', (_, text, word, say, result) => {
    expect(spoken(text, word, say)).toBe(result);
  });

  test.each([
    ['hi', 'राम और रामा', 'राम', 'राऽम', 'राऽम और रामा'],
    ['ta', 'சென்னை, சென்னையில்', 'சென்னை', 'செ', 'செ, சென்னையில்'],
    ['ar', 'دبي ودبي', 'دبي', 'دوباي', 'دوباي ودبي'],
    ['ja', '私は東京都に住む', '東京都', 'とうきょうと', '私はとうきょうとに住む'],
    ['th', 'ไปกรุงเทพวันนี้', 'กรุงเทพ', 'บางกอก', 'ไปบางกอกวันนี้'],
    ['fr', 'Le cafe\u0301 et le café', 'café', 'KAFÉ', 'Le KAFÉ et le KAFÉ'],
  ])('has the boundaries of words in: %s', (language, text, word, say, result) => {
    expect(spoken(text, word, say, language)).toBe(result);
  });

  test('of two, the longer one is said', () => {
    const rules = [
      { word: 'Delhi', say: 'one' },
      { word: 'New Delhi', say: 'two' },
    ];
    expect(alignedSpokenForm('New Delhi', 'en', createPronunciation(rules)).spoken).toBe('two');
  });

  test('leaves the rules for the rest as they are', () => {
    expect(spoken('Nguyen owes $5', 'Nguyen', 'win')).toBe('win owes five dollars');
  });

  test('keeps the word in its place in the written text', () => {
    const { alignment } = alignedSpokenForm(
      'ask Nguyen now',
      'en',
      createPronunciation([{ word: 'Nguyen', say: 'win' }]),
    );
    expect(alignment.map(({ written }) => written)).toEqual([3, 10, 14]);
  });
});

describe('a word with IPA', () => {
  const RULES = [
    { word: 'Siobhan', say: 'shivawn', ipa: 'ʃɪˈvɔːn' },
    { word: 'IT', say: '', ipa: 'ˌaɪˈtiː' },
    { word: 'Delhi', say: 'Dilli', ipa: '' },
    { word: '東京都', say: '', ipa: 'toːkjoːto' },
  ];
  const sent = createIpaText(RULES, (word, ipa) => `[${word} ${ipa}]`)!;
  const spokenBy = (text: string) => alignedSpokenForm(text, 'en', createPronunciation(RULES)).spoken;

  test.each([
    ["Siobhan's IT, is it?", "[shivawn ʃɪˈvɔːn]'s [IT ˌaɪˈtiː], is it?"],
    ['Siobhanna in Delhi', 'Siobhanna in Dilli'],
    ['私は東京都に住む', '私は[東京都 toːkjoːto]に住む'],
  ])('is sent with it: %s', (text, result) => {
    expect(sent(spokenBy(text))).toBe(result);
  });

  test('is needed for the text to change at all', () => {
    expect(createIpaText(RULES.slice(2, 3), (word) => word)).toBeNull();
  });
});

test.each(['ʃɪˈvɔːn', 'ɡʊd ˈmɔɹ.nɪŋ', 't͡ʃaɪ', 'bɔ̃.ʒuʁ', 'ʈʰiːk'])('is IPA: %s', (text) => {
  expect(isIpa(text)).toBe(true);
});
test.each(['/win/', '[win]', 'Win', 'wɪn|', '<b>', 'ˈ', "'win"])('is no IPA: %s', (text) => {
  expect(isIpa(text)).toBe(false);
});
