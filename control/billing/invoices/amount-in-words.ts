import type { Currency } from '../rates.ts';

const ONES = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen ' +
  'nineteen'
).split(' ');
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
/** The largest first. */
const INDIAN = [
  [10_000_000, 'crore'],
  [100_000, 'lakh'],
  [1_000, 'thousand'],
  [100, 'hundred'],
] as const;
const WESTERN = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1_000, 'thousand'],
  [100, 'hundred'],
] as const;

/** `Rupees one lakh eighteen thousand and fifty paise only`, as an invoice of India says its total. */
export function amountInWords(paise: number, currency: Currency): string {
  const isRupees = currency === 'INR';
  const name = isRupees ? 'Rupees' : 'US dollars';
  const scale = isRupees ? INDIAN : WESTERN;
  const part = paise % 100;
  const rest = part === 0 ? '' : ` and ${inWords(part, scale)} ${isRupees ? 'paise' : 'cents'}`;
  return `${name} ${inWords(Math.floor(paise / 100), scale)}${rest} only`;
}

function inWords(value: number, scale: readonly (readonly [number, string])[]): string {
  if (value < 20) return ONES[value]!;
  if (value < 100)
    return [TENS[Math.floor(value / 10)], value % 10 === 0 ? '' : ONES[value % 10]].filter(Boolean).join('-');
  const [size, name] = scale.find(([unit]) => value >= unit)!;
  const rest = value % size;
  const head = `${inWords(Math.floor(value / size), scale)} ${name}`;
  return rest === 0 ? head : `${head} ${inWords(rest, scale)}`;
}
