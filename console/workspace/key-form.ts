import type { ApiKey, postKeys } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import type { Scope } from './scopes.ts';
import { listOf, type StateText } from './workspace-texts.ts';

/** What the form of a new API key has, and what it sends. */

export interface KeyForm {
  name: string;
  /** Null: everything that keys may do. */
  scopes: Scope[] | null;
  /** `YYYY-MM-DD`, until whose end it works; empty: without end. */
  last_day: string;
  /** One to a line. */
  allowed_addresses: string;
}

export const EMPTY_KEY: KeyForm = { name: '', scopes: null, last_day: '', allowed_addresses: '' };

export function keyBody({ name, scopes, last_day, allowed_addresses }: KeyForm): Parameters<typeof postKeys>[0] {
  return {
    name,
    ...(scopes === null ? {} : { scopes }),
    ...(last_day === '' ? {} : { expires_at: new Date(`${last_day}T23:59:59`).toISOString() }),
    allowed_addresses: listOf(allowed_addresses),
  };
}

/** Returns whether a key works, and until when; null for one that works without end. */
export function keyState({ expires_at, replaced_by }: ApiKey, nowMs: number, timeOf: (at: string) => string) {
  if (expires_at === null) return null;
  const time = timeOf(expires_at);
  const isOver = Date.parse(expires_at) <= nowMs;
  const state: StateText = isOver
    ? { text: t('Over since {{time}}', { time }), tone: 'bad' }
    : replaced_by !== null
      ? { text: t('Replaced, works until {{time}}', { time }), tone: 'plain' }
      : { text: t('Works until {{time}}', { time }), tone: 'plain' };
  return { ...state, isOver };
}
