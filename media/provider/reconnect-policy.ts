import type { ProviderFailure } from './provider-error.ts';

/**
 * What follows when a provider's connection fails during a call. With another provider waiting, one that had worked is opened once
 * more, because most connections break for reasons of the network, and then the other takes over: callers do not wait. The last
 * one is tried again and again for about ten seconds before the call ends.
 */
export interface Reconnects {
  /** The first failure since the connection last worked. */
  sinceMs: number | null;
  attempts: number;
}

export type AfterFailure = { step: 'connect'; afterMs: number } | { step: 'fall back' } | { step: 'give up' };

/** A connection that worked for this long is stable; one that breaks sooner will break again. */
export const STABLE_AFTER_MS = 10_000;
/** Waits before the attempts of the last provider; the last value repeats. */
const BACKOFF_MS = [250, 500, 1_000, 2_000] as const;
const GIVE_UP_AFTER_MS = 10_000;

export const newReconnects = (): Reconnects => ({ sinceMs: null, attempts: 0 });

/** The connection works: the provider has answered with something. */
export function onAnswer(state: Reconnects): void {
  state.sinceMs = null;
  state.attempts = 0;
}

export function afterFailure(
  state: Reconnects,
  failure: { kind: ProviderFailure; connectedMs: number; hasFallback: boolean; nowMs: number },
): AfterFailure {
  const { kind, connectedMs, hasFallback, nowMs } = failure;
  const permanent = kind === 'auth' || kind === 'bad_request';
  const wasStable = connectedMs >= STABLE_AFTER_MS;
  if (wasStable) onAnswer(state);
  if (hasFallback) {
    return wasStable && !permanent && kind !== 'capacity' ? { step: 'connect', afterMs: 0 } : { step: 'fall back' };
  }
  state.sinceMs ??= nowMs;
  if (permanent || nowMs - state.sinceMs >= GIVE_UP_AFTER_MS) return { step: 'give up' };
  if (wasStable) return { step: 'connect', afterMs: 0 };
  const afterMs = BACKOFF_MS[Math.min(state.attempts++, BACKOFF_MS.length - 1)]!;
  return { step: 'connect', afterMs };
}
