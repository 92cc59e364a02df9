/**
 * Moments of one turn's latency, in monotonic milliseconds. Latency counts from the true end of the caller's speech to the
 * agent's first frame at the carrier.
 */
export interface TurnTimings {
  /** Not known while the reply is preemptive. */
  speechEndMs: number;
  /** The turn was found to be over. */
  turnEndMs: number;
  /** The knowledge search returned or timed out; null when nothing was looked up. */
  knowledgeMs: number | null;
  firstTokenMs: number | null;
  /** The first speakable segment went to the synthesizer. */
  firstSegmentMs: number | null;
  /** The synthesizer's first audio arrived. */
  firstAudioMs: number | null;
  /** The first frame went to the carrier. */
  firstSentMs: number | null;
}

export function startTimings(speechEndMs: number, turnEndMs: number): TurnTimings {
  return {
    speechEndMs,
    turnEndMs,
    knowledgeMs: null,
    firstTokenMs: null,
    firstSegmentMs: null,
    firstAudioMs: null,
    firstSentMs: null,
  };
}

/** Returns the `parts` of the event `tts.first_audio`, which add up to its latency. Work done before the turn's end counts 0. */
export function latencyParts(timings: TurnTimings): Record<string, number> {
  const steps: [string, number | null][] = [
    ['end_of_turn_ms', timings.turnEndMs],
    ['knowledge_ms', timings.knowledgeMs],
    ['first_token_ms', timings.firstTokenMs],
    ['first_segment_ms', timings.firstSegmentMs],
    ['first_audio_ms', timings.firstAudioMs],
    ['playout_ms', timings.firstSentMs],
  ];
  const result: Record<string, number> = {};
  let previousMs = timings.speechEndMs;
  for (const [name, atMs] of steps) {
    if (atMs === null) continue;
    result[name] = round(Math.max(0, atMs - previousMs));
    previousMs = Math.max(previousMs, atMs);
  }
  return result;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
