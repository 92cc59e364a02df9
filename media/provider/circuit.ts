import type { ProviderFailure } from './provider-error.ts';

/**
 * Whether calls should use a provider, by how its latest uses ended: a circuit breaker as a pure function of (state, event, now).
 * Closed, it counts uses and opens when too many fail; open, no call uses the provider first; after a cool-down one call tries it,
 * and its success closes the circuit again. One failed connection or one slow first audio opens nothing.
 */
export interface Circuit {
  /** The latest uses while closed, oldest first. */
  readonly uses: readonly { readonly atMs: number; readonly failed: boolean }[];
  /** Open until a use succeeds; null while closed. */
  readonly open: {
    /** No call tries the provider before. */
    readonly untilMs: number;
    /** A call tries it until then. */
    readonly triedUntilMs: number;
    /** How many of how many uses had failed. */
    readonly failures: number;
    readonly of: number;
  } | null;
  /** The last cool-down, 0 before the first, and when the circuit closed after it. */
  readonly coolDownMs: number;
  readonly closedAtMs: number;
}

export type CircuitEvent =
  /** A call starts with the provider. */
  | { type: 'tried' }
  /** A use of it succeeded: words, first audio, a first token in time. */
  | { type: 'answered' }
  | { type: 'failed'; kind: ProviderFailure };

/** What counts: so many uses at most, none older than this. */
export const MAX_USES = 20;
export const USES_COUNT_FOR_MS = 300_000;
/** It opens when so many uses failed, and so large a share of all. */
export const MIN_FAILURES = 3;
export const MIN_FAILED_SHARE = 0.5;
/** Doubled each time the circuit opens again within COOL_DOWN_DOUBLES_FOR_MS of having closed. */
export const FIRST_COOL_DOWN_MS = 15_000;
export const MAX_COOL_DOWN_MS = 300_000;
export const COOL_DOWN_DOUBLES_FOR_MS = 600_000;
/** A call that tries it may end without having used it; then another one tries. */
export const TRY_FOR_MS = 30_000;

export const closedCircuit: Circuit = {
  uses: [],
  open: null,
  coolDownMs: 0,
  closedAtMs: Number.NEGATIVE_INFINITY,
};

/** Whether a call may start with the provider now. */
export function isUsable({ open }: Circuit, nowMs: number): boolean {
  return open === null || (nowMs >= open.untilMs && nowMs >= open.triedUntilMs);
}

export function advanceCircuit(circuit: Circuit, event: CircuitEvent, nowMs: number): Circuit {
  const { open } = circuit;
  if (open) {
    // What ends during the cool-down began before it.
    if (nowMs < open.untilMs) return circuit;
    if (event.type === 'tried') return { ...circuit, open: { ...open, triedUntilMs: nowMs + TRY_FOR_MS } };
    if (event.type === 'answered') return { ...closedCircuit, coolDownMs: circuit.coolDownMs, closedAtMs: nowMs };
    return opened(circuit, open, nowMs);
  }
  if (event.type === 'tried') return circuit;
  const failed = event.type === 'failed';
  const uses = [...circuit.uses, { atMs: nowMs, failed }]
    .slice(-MAX_USES)
    .filter(({ atMs }) => nowMs - atMs <= USES_COUNT_FOR_MS);
  const counted = { failures: uses.filter((use) => use.failed).length, of: uses.length };
  const tooMany = counted.failures >= MIN_FAILURES && counted.failures >= counted.of * MIN_FAILED_SHARE;
  // A refused key is refused for every call.
  if (failed && (tooMany || event.kind === 'auth')) return opened(circuit, counted, nowMs);
  return { ...circuit, uses };
}

function opened(circuit: Circuit, { failures, of }: { failures: number; of: number }, nowMs: number): Circuit {
  const doubles = circuit.open !== null || nowMs - circuit.closedAtMs <= COOL_DOWN_DOUBLES_FOR_MS;
  const doubledMs = Math.max(FIRST_COOL_DOWN_MS, circuit.coolDownMs * 2);
  const coolDownMs = doubles ? Math.min(MAX_COOL_DOWN_MS, doubledMs) : FIRST_COOL_DOWN_MS;
  const open = { untilMs: nowMs + coolDownMs, triedUntilMs: nowMs, failures, of };
  return { uses: [], open, coolDownMs, closedAtMs: circuit.closedAtMs };
}
