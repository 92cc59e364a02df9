/**
 * The parts of one turn's latency, honestly: everything is counted from the true end of the caller's speech to the first
 * agent sample on the wire, nothing is subtracted. Moments are monotonic milliseconds.
 */
export interface TurnTimings {
  /** Not known while the reply is a draft. */
  speechEndMs: number;
  /** The turn was found to be over. */
  turnEndMs: number;
  /** What the knowledge bases say is known, or given up; null when nothing was looked up. */
  knowledgeMs: number | null;
  firstTokenMs: number | null;
  /** The first speakable piece went to the voice. */
  firstSegmentMs: number | null;
  /** Its first audio came back. */
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

/** The timeline's `parts` of a first audio: they add up to its latency. What was done ahead of its turn took no time of it. */
export function latencyParts(timings: TurnTimings): Record<string, number> {
  const steps: [string, number | null][] = [
    ['end_of_turn_ms', timings.turnEndMs],
    ['knowledge_ms', timings.knowledgeMs],
    ['first_token_ms', timings.firstTokenMs],
    ['first_piece_ms', timings.firstSegmentMs],
    ['first_audio_ms', timings.firstAudioMs],
    ['playout_ms', timings.firstSentMs],
  ];
  const result: Record<string, number> = {};
  let before = timings.speechEndMs;
  for (const [name, moment] of steps) {
    if (moment === null) continue;
    result[name] = round(Math.max(0, moment - before));
    before = Math.max(before, moment);
  }
  return result;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
