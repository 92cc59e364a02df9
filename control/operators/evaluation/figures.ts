import { type Percentiles, percentiles } from '../../../shared/percentiles.ts';
import type { CallEvent, EvaluatedCall } from './read-calls.ts';

/** What is counted of a set of calls. */
export interface EvaluationFigures {
  calls: number;
  /** Answers of the model whose first sound was measured. */
  answers: number;
  /** From the true end of the caller's speech to the first sound of the answer, in milliseconds. */
  felt_ms: Percentiles | null;
  /** What of it the engine added itself. */
  engine_ms: Percentiles | null;
  /** Replies that the caller ended by speaking. */
  interruptions: number;
  /** Null where no engine reported it: it is of releases since 2026-11-29. */
  turn_taking: TurnTakingTotals | null;
}

export interface TurnTakingTotals {
  /** Calls that it was reported of. */
  calls: number;
  talk_over_seconds_per_call: number;
  missed_interruptions: number;
  false_interruptions: number;
  long_silences: number;
}

/** An answer of the model. */
interface Answer {
  felt_ms: number;
  /** Null where the timeline does not tell it apart. */
  engine_ms: number | null;
}

export function figuresOf(calls: readonly EvaluatedCall[]): EvaluationFigures {
  const answers = calls.flatMap(({ events }) => answersOf(events));
  const engine = answers.flatMap(({ engine_ms }) => engine_ms ?? []);
  return {
    calls: calls.length,
    answers: answers.length,
    felt_ms: percentilesOf(answers.map(({ felt_ms }) => felt_ms)),
    engine_ms: percentilesOf(engine),
    interruptions: calls.reduce((sum, { events }) => sum + events.filter(isInterruption).length, 0),
    turn_taking: turnTakingOf(calls),
  };
}

const isInterruption = ({ type }: CallEvent) => type === 'interrupted';
const percentilesOf = (values: readonly number[]) => (values.length === 0 ? null : percentiles(values, 0));

/**
 * The answers of a call. The engine's own part is the time from the end of the turn to the request at the model, which is the first
 * token's wait without the model's, and from the first audio to the first frame. Welcomes and fillers are no answers.
 */
export function answersOf(events: readonly CallEvent[]): Answer[] {
  let modelMs: number | null = null;
  return events.flatMap(({ type, latency_ms, data }): Answer[] => {
    if (type === 'llm.first_token') modelMs = numberOf(data.model_ms);
    if (type !== 'tts.first_audio' || latency_ms === null || data.welcome || data.filler) return [];
    const parts = (data.parts ?? {}) as Record<string, unknown>;
    const firstTokenMs = numberOf(parts.first_token_ms);
    if (firstTokenMs === null) return [];
    const model = modelMs;
    modelMs = null;
    const playoutMs = numberOf(parts.playout_ms);
    if (model === null || playoutMs === null) return [{ felt_ms: latency_ms, engine_ms: null }];
    return [{ felt_ms: latency_ms, engine_ms: Math.max(0, firstTokenMs - model) + playoutMs }];
  });
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function turnTakingOf(calls: readonly EvaluatedCall[]): TurnTakingTotals | null {
  const reported = calls.map(reportedTurnTaking).filter((each) => each !== null);
  if (reported.length === 0) return null;
  const sum = (name: string) => reported.reduce((total, each) => total + (numberOf(each[name]) ?? 0), 0);
  return {
    calls: reported.length,
    talk_over_seconds_per_call: Math.round(sum('talk_over_ms') / reported.length / 10) / 100,
    missed_interruptions: sum('missed_interruptions'),
    false_interruptions: sum('false_interruptions'),
    long_silences: sum('long_silences'),
  };
}

function reportedTurnTaking({ events }: EvaluatedCall): Record<string, unknown> | null {
  const ended = events.find(({ type }) => type === 'call.ended');
  return (ended?.data.turn_taking as Record<string, unknown> | undefined) ?? null;
}
