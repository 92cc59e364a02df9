import i18next from 'i18next';
import { language, SERVICE_CATALOGUE } from './texts.ts';

/**
 * Returns a text that the service writes in English, such as the note of a charge, in the language of the person. A text that the
 * catalogue does not have stays as it is: it was written by a person, or is newer than this page.
 */
export function serviceText(text: string): string {
  if (language() === 'en') return text;
  const known: Record<string, string> = i18next.getResourceBundle(language(), SERVICE_CATALOGUE) ?? {};
  if (Object.hasOwn(known, text)) return known[text]!;
  for (const [english, translated] of Object.entries(known)) {
    const values = valuesIn(text, english);
    if (values) return translated.replaceAll(PLACEHOLDER, (_whole, name: string) => values[name]!);
  }
  return text;
}

/** Returns the description of a model: parts with semicolons between them, of which the first may hold one itself. */
export function modelNote(description: string): string {
  const whole = serviceText(description);
  const at = description.lastIndexOf('; ');
  if (whole !== description || at === -1) return whole;
  return `${modelNote(description.slice(0, at))}; ${serviceText(description.slice(at + 2))}`;
}

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/** Returns what stands in the text where `english` has `{{name}}`; null when it is another text. */
function valuesIn(text: string, english: string): Record<string, string> | null {
  const names = [...english.matchAll(PLACEHOLDER)].map(([, name]) => name!);
  if (names.length === 0) return null;
  const pattern = english.split(/\{\{\w+\}\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`^${pattern.join('(.+)')}$`).exec(text);
  return found && Object.fromEntries(names.map((name, at) => [name, found[at + 1]!]));
}
