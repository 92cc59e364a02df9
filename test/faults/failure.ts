import type { VirtualClock } from '../support/virtual-clock.ts';

/** The parts of a call that may fail. Those of `SHARED_PARTS` serve all calls of an engine. */
export const PARTS = [
  'leg',
  'transcriber',
  'model',
  'synthesizer',
  'denoiser',
  'turn model',
  'recording',
  'events',
  'control',
  'tool',
  'knowledge',
] as const;
export type Part = (typeof PARTS)[number];
export const SHARED_PARTS: readonly Part[] = ['denoiser', 'turn model', 'recording'];

/** `dies`: it fails as its port says it may, and every new one fails as well; `comes back`: until it works again. */
export const KINDS = ['throws', 'hangs', 'answers late', 'dies', 'comes back'] as const;
export type Kind = (typeof KINDS)[number];

export const LATE_MS = 3_000;
export const COMES_BACK_AFTER_MS = 4_000;

/** What is wrong with the parts of a call. */
export interface Failure {
  /** What is wrong with this part now; null when it works. One that will come back is dead until then. */
  of(part: Part): Exclude<Kind, 'comes back'> | null;
  /** Runs when this part fails. */
  onStrike(part: Part, run: () => void): void;
  /** Runs when this part works again. */
  onHealed(part: Part, run: () => void): void;
}

/** A failure of one part, from `strike` on. */
export interface PartFailure extends Failure {
  /** When it struck; null before. */
  readonly struckMs: number | null;
  strike(): void;
  /** Makes the part work again. */
  heal(): void;
}

export function createFailure(part: Part, kind: Kind, clock: VirtualClock): PartFailure {
  const strikes: (() => void)[] = [];
  const healings: (() => void)[] = [];
  let struckMs: number | null = null;
  let healed = false;

  function heal(): void {
    if (healed) return;
    healed = true;
    if (struckMs !== null) for (const run of healings) run();
  }

  return {
    heal,
    get struckMs() {
      return struckMs;
    },
    strike() {
      if (struckMs !== null || healed) return;
      struckMs = clock.now();
      for (const run of strikes) run();
      if (kind === 'comes back') clock.after(COMES_BACK_AFTER_MS, heal);
    },
    of(asked) {
      if (asked !== part || struckMs === null || healed) return null;
      return kind === 'comes back' ? 'dies' : kind;
    },
    onStrike(asked, run) {
      if (asked === part) strikes.push(run);
    },
    onHealed(asked, run) {
      if (asked === part) healings.push(run);
    },
  };
}

/** Several failures of one call, each of another part. */
export function combineFailures(failures: readonly PartFailure[]): Failure {
  return {
    of: (part) => failures.map((failure) => failure.of(part)).find((wrong) => wrong !== null) ?? null,
    onStrike(part, run) {
      for (const failure of failures) failure.onStrike(part, run);
    },
    onHealed(part, run) {
      for (const failure of failures) failure.onHealed(part, run);
    },
  };
}

export const broken = (): never => {
  throw new Error('this part is broken');
};

/**
 * Asks a part that answers with a promise: `work` answers when the part works, after three seconds when it is late, and never
 * when it hangs; `deadlineMs` is the asker's own, after which the ask rejects.
 */
export async function ask<Answer>(
  failure: Failure | null,
  part: Part,
  clock: VirtualClock,
  work: () => Promise<Answer>,
  deadlineMs = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  const wrong = failure?.of(part) ?? null;
  if (wrong === 'throws' || wrong === 'dies') throw new Error('this part is broken');
  const waitMs = wrong === 'hangs' ? Number.POSITIVE_INFINITY : wrong === 'answers late' ? LATE_MS : 0;
  if (waitMs >= deadlineMs) {
    await sleep(clock, deadlineMs);
    throw new Error('timeout');
  }
  if (waitMs > 0) await sleep(clock, waitMs);
  return work();
}

/** Resolves after `ms`, never when that is infinite. */
export function sleep(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (Number.isFinite(ms)) clock.after(ms, resolve);
  });
}
