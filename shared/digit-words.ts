/** Words for digits as people dictate numbers, in English, Hindi and Hinglish, lower case. */

/** One digit each. */
export const UNITS = new Map<string, number>();
export const TENS = new Map<string, number>();

function name(into: Map<string, number>, value: number, words: string): void {
  for (const word of words.split(' ')) into.set(word, value);
}
name(UNITS, 0, 'zero oh nought nil shunya shoonya sifar jeero शून्य ज़ीरो जीरो');
name(UNITS, 1, 'one ek एक वन');
name(UNITS, 2, 'two do दो टू');
name(UNITS, 3, 'three teen तीन थ्री');
name(UNITS, 4, 'four char chaar चार फोर');
name(UNITS, 5, 'five panch paanch पांच पाँच फाइव');
name(UNITS, 6, 'six che chhe chhah chhai छह छः छ छे सिक्स');
name(UNITS, 7, 'seven saat सात सेवन');
name(UNITS, 8, 'eight aath आठ एट');
name(UNITS, 9, 'nine nau नौ नाइन');
// Two digits each, as phone numbers are read.
for (const [at, word] of 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
  .split(' ')
  .entries()) {
  name(TENS, 10 + at, word);
}
for (const [at, word] of 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').entries()) {
  name(TENS, (at + 2) * 10, word);
}
/** How often the digit after them stands. */
export const REPEATS = new Map([
  ['double', 2],
  ['डबल', 2],
  ['dabal', 2],
  ['triple', 3],
  ['ट्रिपल', 3],
]);

/** Digits of Devanagari as those of ASCII. */
export const latinDigits = (text: string) => text.replace(/[०-९]/gu, (digit) => String('०१२३४५६७८९'.indexOf(digit)));
