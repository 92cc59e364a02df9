/**
 * How caller and agent got on with their turns over a whole call: what they spoke at once, which interruptions the agent missed or
 * fell silent for in vain, and how often nobody spoke for long. It is counted in audio as the engine hears and plays it; a voice in
 * the caller's background counts as the caller's.
 */
export interface TurnTakingFigures {
  /** Both spoke at once, in milliseconds. */
  talk_over_ms: number;
  /** The caller spoke for so long over a reply that can be interrupted, and the agent spoke on. */
  missed_interruptions: number;
  /** The agent fell silent for the caller's voice, and went on with the same reply. */
  false_interruptions: number;
  /** Nobody spoke for so long. */
  long_silences: number;
}

export interface TurnTaking {
  readonly figures: TurnTakingFigures;
  lastMs: number | null;
  /** Of the talk-over that goes on. */
  overMs: number;
  silentMs: number;
  /** The reply that was paused for the caller's voice. */
  pausedReply: string | null;
}

/** A reply of which something was played. */
export interface PlayedReply {
  readonly id: string;
  readonly paused: boolean;
}

export const MISSED_AFTER_MS = 2_000;
export const LONG_SILENCE_MS = 4_000;

export const startTurnTaking = (): TurnTaking => ({
  figures: { talk_over_ms: 0, missed_interruptions: 0, false_interruptions: 0, long_silences: 0 },
  lastMs: null,
  overMs: 0,
  silentMs: 0,
  pausedReply: null,
});

/** Takes what has been heard since the moment before; on every tick, so nothing is made for it. */
export function observeVoices<Reply extends PlayedReply>(
  state: TurnTaking,
  nowMs: number,
  callerSpeaks: boolean,
  reply: Reply | null,
  isInterruptible: (reply: Reply) => boolean,
): void {
  const { figures } = state;
  const passedMs = state.lastMs === null ? 0 : Math.max(0, nowMs - state.lastMs);
  state.lastMs = nowMs;
  const agentSpeaks = reply !== null && !reply.paused;

  const overMs = callerSpeaks && agentSpeaks ? state.overMs + passedMs : 0;
  if (overMs > 0) figures.talk_over_ms += passedMs;
  const isMissed = state.overMs < MISSED_AFTER_MS && overMs >= MISSED_AFTER_MS;
  if (isMissed && reply && isInterruptible(reply)) figures.missed_interruptions++;
  state.overMs = overMs;

  if (state.pausedReply !== null && reply?.id === state.pausedReply && !reply.paused) figures.false_interruptions++;
  state.pausedReply = reply?.paused ? reply.id : null;

  const silentMs = callerSpeaks || agentSpeaks ? 0 : state.silentMs + passedMs;
  if (state.silentMs < LONG_SILENCE_MS && silentMs >= LONG_SILENCE_MS) figures.long_silences++;
  state.silentMs = silentMs;
}

/** Nobody's turn is counted: the agent is muted, or a machine may have answered. */
export function skipVoices(state: TurnTaking, nowMs: number): void {
  state.lastMs = nowMs;
  state.overMs = 0;
  state.silentMs = 0;
  state.pausedReply = null;
}
