import { describe, expect, test } from 'vitest';
import { type Completeness, completeness, isUnfinishedDictation } from '../../../media/turn/completeness.ts';

const SENTENCES: Record<Completeness, string[]> = {
  complete: [
    // Questions and statements with their stop.
    'Where are you from?',
    'Do you have a table for two?',
    'What are you looking for?',
    'That is what I am looking for.',
    'I will be there at seven.',
    'I want to check in.',
    'क्या कल टेबल मिलेगी?',
    'मुझे कल शाम की बुकिंग चाहिए।',
    // Short full answers.
    'yes',
    'Yes.',
    'yeah sure',
    'no thank you',
    'yes please',
    'of course',
    "that's right",
    'yes, that is correct',
    'okay thanks bye',
    'haan',
    'haan ji bilkul',
    'ji nahi',
    'theek hai',
    'accha theek hai shukriya',
    'हाँ',
    'जी हाँ',
    'ठीक है',
    'नहीं धन्यवाद',
    // Closings.
    'can I get the bill please',
    'that will be all thank you very much',
    // Hindi puts its verb last.
    'mujhe kal ke liye table book karna hai',
    'main kal shaam ko aaunga theek hai',
    'aap log kitne baje khulte hain',
    'mujhe ek table chahiye',
    'मुझे दो लोगों के लिए टेबल चाहिए',
    'मेरा ऑर्डर अभी तक नहीं आया है',
    // Whole numbers and addresses.
    'nine eight seven six five four three two one zero',
    'my number is ninety eight seventy six fifty four thirty two ten',
    'double nine eight seven six five triple four two',
    '98765 43210',
    '+91 98765 43210',
    'it is 1-555-123-4567',
    'mera number hai nau aath saat chhe paanch chaar teen do ek shunya',
    'मेरा नंबर है नौ आठ सात छह पांच चार तीन दो एक शून्य',
    '९८७६५ ४३२१०',
    'the otp is four two one nine eight six',
    'my email is arun at gmail dot com',
    'arun.kumar@example.co.in',
    'mera email hai arun at the rate yahoo dot in',
  ],
  unsure: [
    '',
    '   ',
    '...?',
    'book a table',
    'for two people',
    'hello',
    'tomorrow at seven in the evening',
    'on friday at seven thirty',
    'seven thirty five',
    'at two',
    'please',
    'a table by the window',
    'the red table number 10',
    'the budget is around two thousand',
    'wait make it eight instead',
    'I think so',
    'that would work as well',
    'more or less',
    'yes it is like that today',
    'because I said so',
    'I can do it at five p m',
    'what is your room i d',
    'I live in the u s a',
    'mm-hm',
    'kal shaam ko saat baje',
    'कल शाम सात बजे',
    'Hello.',
    'I see.',
  ],
  incomplete: [
    // Conjunctions, with whatever stop was written.
    'I would like a table and',
    'I would like a table and.',
    'not today but',
    'because',
    'I called because',
    'it depends if',
    // Prepositions, articles, possessives.
    'I want to',
    'a table for',
    'I am coming from',
    'can you put me through to the',
    'I need a',
    'this is about my',
    // Beginnings.
    'I would like',
    "hello I'd like",
    'do you have',
    'could you',
    'my number is',
    'my name is',
    "it's",
    // Fillers, commas, dots.
    'I was thinking um',
    'so uh',
    'well',
    'I mean',
    'a table,',
    'I was…',
    'I was...',
    'let me see',
    // Hinglish.
    'mujhe table chahiye aur',
    'main aata lekin',
    'nahi kyunki',
    'toh',
    'haan toh',
    'matlab',
    'agar',
    'kal ki',
    'us restaurant ke',
    'Ravi ne bola ki',
    'mera naam hai',
    'mera',
    'ek minute',
    // Devanagari.
    'मुझे टेबल चाहिए और',
    'नहीं क्योंकि',
    'लेकिन',
    'हाँ तो',
    'मतलब',
    'उसने कहा कि',
    'मेरा नाम है',
    'दिल्ली से',
    'कल की',
  ],
  dictating: [
    // Numbers.
    'my number is nine eight',
    'nine eight seven',
    'nine eight seven double',
    'my number is nine eight seven double six',
    'zero four four two three',
    'oh two oh',
    '98765 432',
    'my number is 98765',
    '+91 98765',
    '9876543',
    'the code is four two one',
    'my card number is 4111 1111 1111',
    'nau aath saat',
    'mera number hai nau aath',
    'mera mobile number hai ninety eight double seven',
    'नौ आठ सात',
    'मेरा फोन नंबर है नौ आठ',
    'डबल नौ आठ सात',
    // Names.
    'S as in',
    'S as in Sam',
    'it is b for bombay',
    'a r u n',
    'my name is Arun A-R-U',
    'that is s h a r m a',
    'spelled k u double l',
    'वो है एस एच आर',
    // Addresses.
    'my email is',
    'my email is arun',
    'my email address is arun dot kumar at',
    'arun at gmail dot',
    'mera email hai arun at the rate gmail',
    'it is arun@',
  ],
};

describe('the completeness of a sentence', () => {
  for (const [expected, sentences] of Object.entries(SENTENCES)) {
    test.each(sentences)(`${expected}: %s`, (sentence) => {
      expect(completeness(sentence)).toBe(expected);
    });
  }

  test('case, quotes and punctuation do not matter', () => {
    for (const sentence of ['YES', ' "yes" ', 'Yes!', '(yes)']) expect(completeness(sentence)).toBe('complete');
    for (const sentence of ['I want the', 'I WANT THE', 'I want “the”'])
      expect(completeness(sentence)).toBe('incomplete');
  });

  test('any text is evaluated quickly', () => {
    const odd = [
      '🙂',
      '\u0000',
      'a'.repeat(50_000),
      'one '.repeat(5_000),
      'yes '.repeat(5_000),
      '@'.repeat(500),
      '-',
      "'",
    ];
    for (const text of odd) expect(['complete', 'unsure', 'incomplete', 'dictating']).toContain(completeness(text));
  });
});

describe('unfinished dictation', () => {
  test.each([
    ['my number is nine eight seven', true],
    ['a r u n', true],
    ['my email is arun', true],
    // As likely whole codes.
    ['the code is four two one nine', false],
    ['my pin is 560001', false],
    ['nine eight seven six five four three two one zero', false],
    // It has heard sentence and voice itself.
    ['I would like a table and', false],
    ['my number is', false],
    ['yes', false],
    ['', false],
  ])('%s: %s', (text, expected) => {
    expect(isUnfinishedDictation(text)).toBe(expected);
  });
});
