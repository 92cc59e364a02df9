/** The checksums that tell card and identity numbers from other numbers, and what else such a number must be. Pure. */

/** ISO/IEC 7812-1, annex B: the algorithm of Luhn. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The group of a pentagon's ten symmetries: what follows from two of them (J. Verhoeff, 1969). */
const product = (a: number, b: number) => (a < 5 ? (b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5)) : rotated(a, b));
const rotated = (a: number, b: number) => (b < 5 ? 5 + ((a - b) % 5) : (a - b + 5) % 5);
const FIRST_PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
const PERMUTATIONS = permutations();

function permutations(): number[][] {
  const all = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]];
  while (all.length < 8) all.push(all.at(-1)!.map((digit) => FIRST_PERMUTATION[digit]!));
  return all;
}

/** The checksum of Aadhaar numbers. */
export function verhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    check = product(check, PERMUTATIONS[i % 8]![digit]!);
  }
  return check === 0;
}

/** First digits and lengths of Visa, Mastercard, American Express, Diners Club, JCB, RuPay, Discover, UnionPay and Maestro. */
const CARD_SHAPES: [RegExp, number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^3[0689]/, [14, 16]],
  [/^35/, [16, 17, 18, 19]],
  [/^8[12]/, [16]],
  [/^(6|50|5[6-8])/, [13, 14, 15, 16, 17, 18, 19]],
];

export function isCardNumber(digits: string): boolean {
  return CARD_SHAPES.some(([start, lengths]) => start.test(digits) && lengths.includes(digits.length)) && luhn(digits);
}

/** A mobile number of India with its country code has as many digits. */
export const isIndianMobile = (digits: string) => /^91[6-9]\d{9}$/.test(digits);

export function isAadhaar(digits: string): boolean {
  return /^[2-9]\d{11}$/.test(digits) && verhoeff(digits);
}

/** Numbers that the Social Security Administration gives to nobody are none. */
export function isSocialSecurityNumber(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);
}

/** The fourth letter is the kind of holder. */
export const isPermanentAccountNumber = (text: string) => /^[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]$/i.test(text);
