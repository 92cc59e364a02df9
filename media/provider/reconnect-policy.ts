import type { ProviderFailure } from './provider-error.ts';

/**
 * What follows when a transcriber's or a synthesizer's connection fails during a call. With another provider waiting, one that had
 * worked is opened once more, because most connections break for reasons of the network, and then the other takes over: callers do
 * not wait. The last one is tried again and again for about ten seconds before the call ends.
 */
export interface Reconnects {
  /** The first failure since the connection last worked. */
  sinceMs: number | null;
  /** Connections since the last stable one. */
  attempts: number;
}

/** `first`: since the connection last worked. */
export type AfterFailure = { step: 'connect'; afterMs: number; first: boolean } | { step: 'fall back' | 'give up' };

export interface ConnectionFailure {
  kind: ProviderFailure;
  /** How long the connection had been open; 0 when it never was, or when it was open and of no use. */
  connectedMs: number;
  /** How long the provider had owed something when its silence was found to be a failure. */
  silentMs?: number;
  hasFallback: boolean;
  nowMs: number;
}

/** A connection that worked for this long is stable; one that breaks sooner will break again. */
export const STABLE_AFTER_MS = 10_000;
/** Waits before the attempts of the last provider; the last value repeats. */
const BACKOFF_MS = [250, 500, 1_000, 2_000] as const;
export const GIVE_UP_AFTER_MS = 10_000;
/** A provider that answers and breaks each time is given up as well. */
const MAX_ATTEMPTS = 15;

export const newReconnects = (): Reconnects => ({ sinceMs: null, attempts: 0 });

/** The connection works: the provider has answered with something. */
export function onAnswer(state: Reconnects): void {
  state.sinceMs = null;
}

export function afterFailure(state: Reconnects, failure: ConnectionFailure): AfterFailure {
  const { kind, connectedMs, silentMs = 0, hasFallback, nowMs } = failure;
  const permanent = kind === 'auth' || kind === 'bad_request';
  const wasStable = connectedMs >= STABLE_AFTER_MS;
  if (wasStable) Object.assign(state, newReconnects());
  const first = state.sinceMs === null;
  if (hasFallback) {
    const again = wasStable && !permanent && kind !== 'capacity';
    return again ? { step: 'connect', afterMs: 0, first } : { step: 'fall back' };
  }
  state.sinceMs ??= nowMs - silentMs;
  const tooLong = nowMs - state.sinceMs >= GIVE_UP_AFTER_MS || state.attempts >= MAX_ATTEMPTS;
  if (permanent || tooLong) return { step: 'give up' };
  if (wasStable) return { step: 'connect', afterMs: 0, first };
  const afterMs = BACKOFF_MS[Math.min(state.attempts++, BACKOFF_MS.length - 1)]!;
  return { step: 'connect', afterMs, first };
}
