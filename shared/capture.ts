/**
 * A tape holds everything that came into a call from outside, with its times, so that the call can be played again through
 * any later engine: gzip over lines of JSON, the first of them the head.
 *
 * `t` is milliseconds since the engine began the call, to the microsecond; what came before has a negative one. What answers
 * the engine says how long after the question it came (`after`), so that it can be given to an engine that asks earlier or
 * later than the one that was taped. Questions are numbered by kind, from 0, in the order they were asked.
 *
 * Of a carrier it has the messages as they arrived, of a browser the packets, both before the jitter buffer. Of providers it
 * has what their adapters made of their messages; of a voice's sound only the lengths. The agent's secrets are never on it
 * (`tape-secrets.ts`), and what people said and wrote can be taken off (`tape-words.ts`).
 *
 * Version 2 brought the calls of browsers (`packet`, `mute`, `reported`, `ended`) and `capped_by_credits`.
 */
export type CaptureLine = CaptureHeader | CaptureEntry;

export interface CaptureHeader {
  k: 'tape';
  version: 1 | 2;
  call_id: string;
  /** Milliseconds since 1970 at `t` 0. */
  wall_ms: number;
  /** False: replaced, see above. */
  words: boolean;
  session: CapturedSession;
  leg: CapturedLeg;
}

export interface CapturedSession {
  direction: string;
  channel: string;
  /** The agent's configuration without secrets, as JSON. */
  agent_json: string;
  user_data_json: string;
  max_duration_seconds: number;
  /** That is how long the credits last. */
  capped_by_credits?: boolean;
  llm_fallbacks: string[];
  knowledge: { text: string; search: boolean } | null;
}

export interface CapturedLeg {
  carrier: string;
  caller: { encoding: string; sample_rate: number };
  agent: { encoding: string; sample_rate: number };
}

export interface CapturedFailure {
  provider: string;
  kind: string;
  message: string;
  status?: number;
  retry_after_ms?: number | null;
}

export type CaptureEntry = {
  t: number;
} /** The caller's sound: as numbered by the carrier, base64 as it came; no `sound`: taken off. */ & (
  | { k: 'sound'; order: number | null; sound: string }
  /**
   * The same of a browser: one packet of Opus by its RTP numbers, `ms` long (null: it is no Opus), `pause` where it says that
   * nothing follows for now.
   */
  | { k: 'packet'; sequence: number; timestamp: number; ms: number | null; pause: boolean; sound: string }
  /** A browser's microphone is off, or on again. */
  | { k: 'mute'; muted: boolean }
  /** What a browser told of its line: how much later the agent is heard hangs on it. */
  | { k: 'reported'; round_trip_ms: number }
  /** The browser's side is over. */
  | { k: 'ended'; cause: string; detail: string }
  | { k: 'mark'; name: string }
  | { k: 'cleared' }
  | { k: 'digit'; digit: string }
  | { k: 'hold'; held: boolean }
  | { k: 'stop' }
  | { k: 'invalid'; why: string }
  /** The socket closed, or another one goes on with the call. */
  | { k: 'closed'; code: number; broken: { cause: string; detail: string } | null }
  | { k: 'stream' }
  /** From here on the socket took sound, or did not. */
  | { k: 'socket'; takes: boolean }
  /** One window of voice activity, as the engine of the tape heard it. */
  | { k: 'voice'; p: number; end: number; periodicity: number }
  /** A transcriber or voice was made for this sound, the n-th of its kind. */
  | {
      k: 'made';
      part: 'transcriber' | 'speech';
      n: number;
      provider: string;
      model: string;
      sound: { encoding: string; sample_rate: number };
      decides_turns: boolean;
    }
  /** So long after it was asked to open it was, or failed. */
  | { k: 'opened'; part: 'transcriber' | 'speech'; n: number; after: number; failure: CapturedFailure | null }
  | { k: 'heard'; n: number; event: Record<string, unknown> }
  /** Of the context that was begun as the c-th of this voice, counted from its first text. */
  | { k: 'spoken'; n: number; c: number; after: number; event: CapturedSynthesizerEvent }
  /** The voice as a whole is lost. */
  | { k: 'speechless'; n: number; failure: CapturedFailure }
  /** The model was asked; a draft that was dropped before its first word is not answered. */
  | { k: 'asked'; n: number }
  | { k: 'thought'; n: number; after: number; part: Record<string, unknown> | null; failure: CapturedFailure | null }
  /** What a tool's address answered, or why not. */
  | { k: 'fetched'; n: number; after: number; answer: Record<string, unknown> | null; failure: CapturedFailure | null }
  /** What control answered to a question. */
  | { k: 'answered'; question: string; n: number; after: number; answer: unknown; failure: string | null }
  | { k: 'ordered'; order: Record<string, unknown> }
  | { k: 'outcome'; outcome: Record<string, unknown> }
  | { k: 'place'; account: string; n: number; after: number; got: boolean }
  /** Whether a provider was well when the call asked, by what earlier calls had seen of it. */
  | { k: 'well'; key: string; well: boolean }
  | { k: 'turn'; n: number; after: number; p: number }
  /** What the engine of the tape made of it: for comparing. */
  | { k: 'told'; type: string; level: string; message: string; latency_ms: number | null; data: unknown }
  /** The tape ends before the call: the disk was too slow, or the tape too long. */
  | { k: 'cut'; why: string }
);

export type CapturedSynthesizerEvent =
  | { type: 'audio'; bytes: number }
  | { type: 'timing'; text: string; startMs: number[] }
  | { type: 'done' }
  | { type: 'failed'; failure: CapturedFailure };
