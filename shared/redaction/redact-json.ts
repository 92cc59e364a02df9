import { isCardNumber } from './checksums.ts';
import { type FoundPart, findNumbers, type RedactionSettings } from './find-numbers.ts';

/** A text with each part that was found replaced by what it was. */
export function replaceParts(text: string, parts: readonly FoundPart[]): string {
  let rest = text;
  // Those that were found first count where two lie over each other.
  const kept = parts.filter((part, at) => !parts.some((other, before) => before < at && overlap(part, other)));
  for (const { from, to, kind } of kept.sort((a, b) => b.from - a.from)) {
    rest = `${rest.slice(0, from)}[${kind}]${rest.slice(to)}`;
  }
  return rest;
}

const overlap = (a: FoundPart, b: FoundPart) => a.from < b.to && b.from < a.to;

export interface KnownNumbers {
  /** Whole numbers: four digits or more of one are redacted wherever they stand alone. */
  numbers: Iterable<string>;
  /** Parts that are redacted only as they are: a security code. */
  exact: ReadonlySet<string>;
}

const NOTHING_KNOWN: KnownNumbers = { numbers: [], exact: new Set() };
const MIN_PART_DIGITS = 4;
const CODE_KEY = /cvv|cvc|security_?code/i;
const EXPIRY_KEY = /expir|valid_?(till|until|thru)/i;
const CARD_KEY = /card_?(number|no|num)?$/i;
const IDENTITY_KEY = /aadha?ar|^ssn$|social_?security|^pan(_?(number|no))?$/i;
const MAX_DEPTH = 40;

/** A text in which numbers are replaced: those in it, and what is known of others. */
export function redactText(
  text: string,
  settings: RedactionSettings,
  { numbers, exact }: KnownNumbers = NOTHING_KNOWN,
  before = '',
): string {
  if (!/[\p{N}\p{L}]/u.test(text)) return text;
  const replaced = replaceParts(
    text,
    findNumbers([text], settings, () => before),
  );
  const known = [...numbers];
  if (known.length === 0 && exact.size === 0) return replaced;
  return replaced.replace(/\d+(?:[ -]\d+)*/g, (written) => {
    const digits = written.replace(/\D/g, '');
    const part = digits.length >= MIN_PART_DIGITS && known.some((number) => number.includes(digits));
    return part || exact.has(digits) ? '[redacted]' : written;
  });
}

/** Plain JSON in which numbers are replaced in every text, key and number. */
export function redactJson(value: unknown, settings: RedactionSettings, known = NOTHING_KNOWN, depth = 0): unknown {
  if (depth > MAX_DEPTH) return '[redacted]';
  if (typeof value === 'string') return redactText(value, settings, known);
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || (!settings.cards && !settings.identity_numbers)) return value;
    const text = String(value);
    // A count or a time of as many digits is no identity number; only what was said to be one.
    const secret = (settings.cards && isCardNumber(text)) || (text.length >= 9 && isPart(text, known.numbers));
    return secret ? '[redacted]' : value;
  }
  if (Array.isArray(value)) return value.map((each) => redactJson(each, settings, known, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      redactText(key, settings, known),
      isNamed(key, each, settings) ? '[redacted]' : redactJson(each, settings, known, depth + 1),
    ]),
  );
}

const isPart = (digits: string, numbers: Iterable<string>) => [...numbers].some((number) => number.includes(digits));

/** What a tool's argument is called says what it is, however short it is. */
function isNamed(key: string, value: unknown, { cards, identity_numbers }: RedactionSettings): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const digits = String(value).replace(/\D/g, '').length;
  if (cards && (CODE_KEY.test(key) || EXPIRY_KEY.test(key))) return digits > 0;
  if (cards && CARD_KEY.test(key)) return digits >= MIN_PART_DIGITS;
  return identity_numbers && IDENTITY_KEY.test(key) && digits >= MIN_PART_DIGITS;
}
