import type { AgentConfig } from '../../shared/agent.ts';
import { storableText } from '../db/storable-text.ts';

export type Extraction = AgentConfig['analytics']['extractions'][number];

/** A date is a string `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`. */
export type ExtractedValue = string | number | boolean | string[] | null;

const MAX_TEXT_CHARACTERS = 2_000;
const MAX_ITEM_CHARACTERS = 300;
const MAX_ITEMS = 50;

const YES = new Set(['yes', 'true', 'y', '1', 'haan', 'हाँ', 'हां']);
const NO = new Set(['no', 'false', 'n', '0', 'nahi', 'nahin', 'नहीं']);

/** A number, with optional digit grouping, currency and unit. */
const NUMBER =
  /^(?:[\p{Sc}]|[\p{L}.]{1,4})?\s*([-+−]?)\s*(\d{1,3}(?:,\d{2,3})+|\d+)(\.\d+)?\s*(?:%|[\p{L}\p{Sc} ]{0,20})$/u;
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Parses a model's value as the declared type; null when it is not one. Never throws. */
export function parseExtraction(
  { type, choices }: Pick<Extraction, 'type' | 'choices'>,
  value: unknown,
): ExtractedValue {
  switch (type) {
    case 'text':
      return textOf(value, MAX_TEXT_CHARACTERS);
    case 'number':
      return numberOf(value);
    case 'boolean':
      return booleanOf(value);
    case 'choice':
      return choiceOf(choices, value);
    case 'date':
      return dateOf(value);
    case 'list':
      return listOf(value);
  }
}

function textOf(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = storableText(String(value)).trim().slice(0, longest).toWellFormed();
  return text === '' ? null : text;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.length > 60) return null;
  const parts = NUMBER.exec(value.trim());
  if (!parts) return null;
  const [, sign, digits, fraction = ''] = parts;
  const size = Number(digits!.replaceAll(',', '') + fraction);
  if (!Number.isFinite(size)) return null;
  return sign === '-' || sign === '−' ? -size : size;
}

function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  if (YES.has(word)) return true;
  return NO.has(word) ? false : null;
}

function choiceOf(choices: Extraction['choices'], value: unknown): string | null {
  const text = textOf(value, MAX_TEXT_CHARACTERS);
  if (text === null) return null;
  const exact = choices.find((choice) => choice.value === text);
  const folded = text.toLowerCase();
  return (exact ?? choices.find((choice) => choice.value.trim().toLowerCase() === folded))?.value ?? null;
}

function dateOf(value: unknown): string | null {
  const parts = typeof value === 'string' ? DATE.exec(value.trim()) : null;
  if (!parts) return null;
  const [, year, month, day, hour, minute] = parts;
  const date = `${year}-${month}-${day}`;
  const at = Date.parse(`${date}T00:00:00Z`);
  // `Date.parse` moves 31 February into March.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date) return null;
  return hour === undefined ? date : `${date}T${hour}:${minute}`;
}

function listOf(value: unknown): string[] | null {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\n;,]/) : null;
  if (!items) return null;
  return items.slice(0, MAX_ITEMS).flatMap((item) => textOf(item, MAX_ITEM_CHARACTERS) ?? []);
}
