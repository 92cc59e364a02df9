/**
 * The format of a call capture: everything that came into a call from outside, with its times, so that the call can be
 * replayed through any later engine. A file is gzip over lines of JSON, the first of them the header.
 *
 * `t` is milliseconds since the call was started in the engine, to the microsecond; negative for what came earlier. Replies
 * carry their delay after the request (`after`, ms), so that they can be given to an engine that sends the request earlier or
 * later. Requests of one kind are numbered from 0 (`n`) in the order they were sent.
 *
 * Of a carrier the capture has the messages as they arrived, of a browser the packets, both before the jitter buffer. Of
 * providers it has the events their adapters emitted; of synthesized audio only the lengths. An agent's secrets are never in
 * a capture, and what people said and wrote can be redacted (`capture-redaction.ts`).
 */
export type CaptureLine = CaptureHeader | CaptureEntry;

export interface CaptureHeader {
  k: 'header';
  /** 4 may have handoffs; 3 is the same without them. */
  version: 3 | 4;
  call_id: string;
  /** Milliseconds since 1970 at `t` 0. */
  wall_ms: number;
  /** True: what people said and wrote has been replaced. */
  redacted: boolean;
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
  /** True: max_duration_seconds is what the workspace's credits pay for. */
  capped_by_credits?: boolean;
  llm_fallbacks: string[];
  knowledge: { text: string; search: boolean } | null;
}

/** Control's reply to a handoff: the agent that goes on, or why none does. */
export interface CapturedHandoffReply {
  refused: string;
  agent?: CapturedHandoffAgent;
}

export interface CapturedHandoffAgent {
  agent_id: string;
  /** The agent's configuration without secrets, as JSON. */
  agent_json: string;
  /** The values of the call that the agent uses outside of headers, as JSON; the header may have them without content. */
  user_data_json: string;
  knowledge: { text: string; search: boolean } | null;
  paid_seconds: number;
}

export interface CapturedLeg {
  carrier: string;
  caller: CapturedAudioFormat;
  agent: CapturedAudioFormat;
}

export interface CapturedAudioFormat {
  encoding: string;
  sample_rate: number;
}

export interface CapturedFailure {
  provider: string;
  kind: string;
  message: string;
  status?: number;
  retry_after_ms?: number | null;
}

export type CapturedComponent = 'transcriber' | 'synthesizer' | 'realtime';

export type CaptureEntry = { t: number } & (
  | /** The caller's audio with the carrier's sequence number, in base64 as it came; empty: redacted. */
  { k: 'audio'; sequence: number | null; audio: string }
  /**
   * The same from a browser: one Opus packet by its RTP numbers, `ms` long (null: not Opus); `pause` when it says that
   * nothing follows for now.
   */
  | { k: 'packet'; sequence: number; timestamp: number; ms: number | null; pause: boolean; audio: string }
  /** A browser's microphone was muted or unmuted. */
  | { k: 'mute'; muted: boolean }
  /** A browser's round trip, which is part of its playout delay. */
  | { k: 'connection_report'; round_trip_ms: number }
  /** The browser's leg ended. */
  | { k: 'ended'; cause: string; detail: string }
  | { k: 'mark'; name: string }
  /** The carrier has read everything before the engine's last ping; captures without one are of engines that sent none. */
  | { k: 'pong' }
  /** A carrier's acknowledgement of a clear, in older captures. */
  | { k: 'cleared' }
  | { k: 'digit'; digit: string }
  | { k: 'hold'; held: boolean }
  | { k: 'stop' }
  | { k: 'invalid'; reason: string }
  /** An error that the carrier reported. */
  | { k: 'carrier_error'; reason: string }
  /** The carrier's socket closed; another stream may resume the call. */
  | { k: 'closed'; code: number; broken: { cause: string; detail: string } | null }
  | { k: 'stream' }
  /** Whether the socket accepts audio from here on. */
  | { k: 'socket'; writable: boolean }
  /** One window of voice activity as the capturing engine computed it. */
  | { k: 'vad'; p: number; end: number; periodicity: number }
  /** The n-th transcriber or synthesizer was created, for this audio format. */
  | {
      k: 'created';
      component: CapturedComponent;
      n: number;
      provider: string;
      model: string;
      format: CapturedAudioFormat;
      decides_turns: boolean;
    }
  /** The n-th session with a speech-to-speech model was created; what it takes, gives and can do. */
  | {
      k: 'session_created';
      n: number;
      provider: string;
      model: string;
      input: CapturedAudioFormat;
      output: CapturedAudioFormat;
      edits: boolean;
      text_output: boolean;
      max_session_ms: number;
    }
  /** Of the c-th reply that this session was asked for, `after` the question; null: of no reply. */
  | { k: 'session_event'; n: number; c: number | null; after: number; event: Record<string, unknown> }
  /** It opened, or failed to, so long after it was asked to. */
  | { k: 'opened'; component: CapturedComponent; n: number; after: number; failure: CapturedFailure | null }
  | { k: 'transcriber_event'; n: number; event: Record<string, unknown> }
  /** Of the c-th context of this synthesizer, `after` its first text. */
  | { k: 'synthesizer_event'; n: number; c: number; after: number; event: CapturedSynthesizerEvent }
  /** The whole synthesizer failed, not one context. */
  | { k: 'synthesizer_failed'; n: number; failure: CapturedFailure }
  /** A request to the language model; one that was dropped before its first token has no parts. */
  | { k: 'llm_request'; n: number }
  | { k: 'llm_part'; n: number; after: number; part: Record<string, unknown> | null; failure: CapturedFailure | null }
  /** The response of a tool's server, or why there was none. */
  | {
      k: 'tool_response';
      n: number;
      after: number;
      response: Record<string, unknown> | null;
      failure: CapturedFailure | null;
    }
  /** Control's reply to a request of this name on the bus; to `handoff` a `CapturedHandoffReply`. */
  | { k: 'bus_reply'; request: string; n: number; after: number; reply: unknown; failure: string | null }
  | { k: 'command'; command: Record<string, unknown> }
  | { k: 'live_order'; order: Record<string, unknown> }
  | { k: 'transfer_outcome'; outcome: Record<string, unknown> }
  | { k: 'permit'; account: string; n: number; after: number; granted: boolean }
  /** Whether a provider was healthy when the call asked, by the results of earlier calls, and why not. */
  | { k: 'health'; key: string; healthy: boolean; reason: string }
  | { k: 'turn_prediction'; n: number; after: number; p: number }
  /** A timeline event of the capturing engine, to compare a replay with. */
  | { k: 'timeline_event'; type: string; level: string; message: string; latency_ms: number | null; data: unknown }
  /** The capture ends before the call: the disk was too slow, or the capture too long. */
  | { k: 'truncated'; reason: string }
);

export type CapturedSynthesizerEvent =
  | { type: 'audio'; bytes: number }
  | { type: 'timing'; text: string; startMs: number[] }
  | { type: 'done' }
  | { type: 'failed'; failure: CapturedFailure };
