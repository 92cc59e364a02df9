import { expect, test } from 'vitest';
import { ipaPhonemes } from '../../../media/tts/ipa-phonemes.ts';

test.each([
  ['kɑɹˈtiʒə', 'en-US', 'k ɑ ɹ ˈ t i ʒ ə'],
  ['ˈdʒæm.bəˌlaɪə', 'en', 'ˈ dʒ æ m b ə ˌ l aɪ ə'],
  ['ʃɪˈvɔːn', 'en', 'ʃ ɪ ˈ v ɔː n'],
  ['t͡ʃaɪ', 'hi', 'tʃ a ɪ'],
  ['ʈʰiːk', 'hi', 'ʈʰ iː k'],
  ['bɔ̃ʒuʁ', 'fr', 'b ɔ̃ ʒ u ʁ'],
])('the phonemes of %s in %s', (word, language, phonemes) => {
  expect(ipaPhonemes(word, language).join(' ')).toBe(phonemes);
});
