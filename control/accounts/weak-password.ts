import { deferredImport } from '../../shared/deferred-import.ts';
import type { AnySql } from '../db/connect.ts';
import { validationError } from '../http/errors.ts';
import { PRODUCT } from './accounts-deps.ts';
import { workspacesOfUser } from './store.ts';

/**
 * Refuses passwords that are tried first: leaked ones, with digits and signs around them or in place of letters, a few characters
 * repeated, and words of the person, the company and this service. Nothing is asked about kinds of characters (NIST SP 800-63B-4,
 * section 3.1.1.2; OWASP ASVS 4.0.3, 2.1.7 and 2.1.9).
 */

const leakedPasswords = deferredImport(() => import('./leaked-passwords.ts'));
/** Shorter words are too frequent in others. */
const MIN_WORD_LENGTH = 4;
/** Letters and digits that have to be left without the person's words. */
const MIN_OWN_LENGTH = 8;
const MAX_WORDS = 20;
const OUR_WORDS = wordsIn(`${PRODUCT} antiphon`);

export interface Person {
  email: string;
  name: string;
  company?: string | undefined;
}

/** @throws HttpError 422 that says what to do. `field` is where the password is in the body. */
export async function refuseWeakPassword(password: string, person: Person, field = 'password'): Promise<void> {
  const reason = await weaknessOf(password, person);
  // The password itself is never part of a response.
  if (reason !== null) throw validationError(reason, [field], '***');
}

/** The same for a user, whose company is the workspaces. */
export async function refuseWeakPasswordOf(
  sql: AnySql,
  user: { id: string; email: string; name: string },
  password: string,
  field = 'password',
): Promise<void> {
  const workspaces = await workspacesOfUser(sql, user.id);
  const company = workspaces
    .slice(0, MAX_WORDS)
    .map(({ name }) => name)
    .join(' ');
  await refuseWeakPassword(password, { email: user.email, name: user.name, company }, field);
}

/** Returns why the password is refused, as a sentence for the person; null for one that is accepted. */
export async function weaknessOf(password: string, { email, name, company = '' }: Person): Promise<string | null> {
  const text = password.normalize('NFKC').toLowerCase();
  const part = distinctPartOf(text);
  if (isRun(text) || part.length < MIN_OWN_LENGTH) {
    return 'this password repeats or counts up a few characters; choose several words that do not belong together';
  }
  const words = [...OUR_WORDS, ...wordsIn(`${email} ${name} ${company}`)].slice(0, MAX_WORDS + OUR_WORDS.length);
  const used = words.filter((word) => text.includes(word));
  const rest = used.reduce((left, word) => left.replaceAll(word, ''), text);
  if (used.length > 0 && rest.replace(/[^\p{L}\p{N}]/gu, '').length < MIN_OWN_LENGTH) {
    return 'this password is made of your name, your email, your company or our name; choose words that have nothing to do with them';
  }
  const { LEAKED } = await leakedPasswords();
  if ([...formsOf(text), ...formsOf(part)].some((form) => LEAKED.has(form))) {
    return 'this password is known from leaks of other services; choose several words that do not belong together';
  }
  return null;
}

/** As it is, without what is around its letters, and both with letters in place of the digits and signs that look like them. */
function formsOf(text: string): string[] {
  const forms = [text, withoutEnds(text)];
  return [...forms, ...forms.map(withLetters)];
}

const withoutEnds = (text: string): string => text.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '');

const LOOKS_LIKE: Record<string, string> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b' },
  ...{ '@': 'a', $: 's', '!': 'i', '+': 't' },
};
const withLetters = (text: string): string => text.replace(/[0134578@$!+]/g, (sign) => LOOKS_LIKE[sign]!);

/** The part that the whole repeats: `abab` → `ab`. A part that is its only repetition is the whole. */
function distinctPartOf(text: string): string {
  const at = (text + text).indexOf(text, 1);
  return text.slice(0, at);
}

/** `abcdefghij`, `9876543210`. */
function isRun(text: string): boolean {
  const step = text.charCodeAt(1) - text.charCodeAt(0);
  if (Math.abs(step) > 1) return false;
  for (let at = 2; at < text.length; at++) if (text.charCodeAt(at) - text.charCodeAt(at - 1) !== step) return false;
  return true;
}

function wordsIn(text: string): string[] {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  // Longer ones first, so that a word within another does not leave a rest of it.
  return [...new Set(words)].filter((word) => word.length >= MIN_WORD_LENGTH).sort((a, b) => b.length - a.length);
}
