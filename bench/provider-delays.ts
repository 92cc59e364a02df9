import { createXorshift32 } from '../fixtures/seeded-random.ts';

/**
 * Delays of the simulated providers of `latency.ts` by turn. `fixed`: constant. `recorded`: drawn from published distributions with
 * a seed, so that every run has the same turns:
 *
 * - end of turn: log-normal, median 247 ms, 95th percentile 298. Deepgram nova-3 in pipecat-ai/stt-benchmark (README, time to
 *   final segment, 1,000 recordings, 2026; its 99th is 326, that of the fitted curve 322). Deepgram names 260 ms for Flux.
 * - eager end: 150 to 250 ms before the end, uniform; Telnyx' page on Flux' end-of-turn parameters.
 * - first token: log-normal, median 683 ms, 95th percentile 1,052. gpt-4.1 in kwindla/aiewf-eval (README, 300 turns each, 2025).
 * - first audio: log-normal, median 288 ms, interquartile range 28. ElevenLabs Flash v2.5 in Coval's benchmark of 4 May 2026,
 *   as gradium.ai's "TTS Latency Benchmark 2026" gives it.
 *
 * Values are limited to the 99.9th percentile; failures are measured by `provider-failures.ts`. All tokens come with the first.
 */

export type DelayKind = 'fixed' | 'recorded';

export interface TurnDelays {
  /** From the last sample of speech at the transcriber to its end of turn. */
  endOfTurnMs: number;
  /** The same to its eager end; null where there is none. */
  eagerMs: number | null;
  firstTokenMs: number;
  firstAudioMs: number;
}

interface LogNormal {
  medianMs: number;
  /** Of the logarithm. */
  spread: number;
}

const FIXED: Omit<TurnDelays, 'eagerMs'> = { endOfTurnMs: 200, firstTokenMs: 250, firstAudioMs: 120 };
const FIXED_EAGER_MS = 100;
const EAGER_SAVES_MS = [150, 250] as const;
/** An eager end needs some silence; this is longer than the gap of two frames. */
const MIN_EAGER_MS = 60;
/** Standard deviations of a normal distribution to its 95th and 99.9th percentile, and between its quartiles. */
const TO_95TH = 1.645;
const TO_999TH = 3.09;
const BETWEEN_QUARTILES = 1.349;

const through95th = (medianMs: number, p95Ms: number): LogNormal => ({
  medianMs,
  spread: Math.log(p95Ms / medianMs) / TO_95TH,
});
/** For a small spread the logarithm is nearly linear. */
const throughQuartiles = (medianMs: number, rangeMs: number): LogNormal => ({
  medianMs,
  spread: rangeMs / BETWEEN_QUARTILES / medianMs,
});

export const RECORDED = {
  endOfTurn: through95th(247, 298),
  firstToken: through95th(683, 1_052),
  firstAudio: throughQuartiles(288, 28),
} as const;

/** Returns the delays of the turns. The same seed gives the same turns, with and without an eager end. */
export function planDelays(kind: DelayKind, eager: boolean, turns: number, seed: number): TurnDelays[] {
  if (kind === 'fixed')
    return Array.from({ length: turns }, () => ({ ...FIXED, eagerMs: eager ? FIXED_EAGER_MS : null }));
  const random = createXorshift32(seed);
  return Array.from({ length: turns }, () => {
    const endOfTurnMs = drawn(RECORDED.endOfTurn, random);
    const savesMs = EAGER_SAVES_MS[0] + (EAGER_SAVES_MS[1] - EAGER_SAVES_MS[0]) * random();
    const firstTokenMs = drawn(RECORDED.firstToken, random);
    const firstAudioMs = drawn(RECORDED.firstAudio, random);
    const eagerMs = eager ? Math.max(MIN_EAGER_MS, Math.round(endOfTurnMs - savesMs)) : null;
    return { endOfTurnMs, eagerMs, firstTokenMs, firstAudioMs };
  });
}

/**
 * The caller's wait with an engine without latency: generation starts at the eager end, if any, and playout at the end of the
 * turn at the earliest.
 */
export function scriptedWaitMs({ endOfTurnMs, eagerMs, firstTokenMs, firstAudioMs }: TurnDelays): number {
  return Math.max(endOfTurnMs, (eagerMs ?? endOfTurnMs) + firstTokenMs + firstAudioMs);
}

function drawn({ medianMs, spread }: LogNormal, random: () => number): number {
  const deviations = Math.max(-TO_999TH, Math.min(TO_999TH, normal(random)));
  return Math.round(medianMs * Math.exp(spread * deviations));
}

/** Box and Muller (1958), one of the two. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
