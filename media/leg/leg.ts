import type { AudioFormat } from '../audio/format.ts';

/**
 * One end of a call. A leg gives 20 ms frames in order, takes 20 ms frames, and says how playback is proved.
 * It knows nothing of conversations; a carrier's wire format is one pure file beside this one.
 */
export interface Leg {
  /** `twilio`, `plivo`, …; the call record's `provider`. */
  readonly carrier: string;
  /** What `play` takes. */
  readonly format: AudioFormat;
  /** What the listener gets. */
  readonly callerFormat: AudioFormat;
  /** Keys the caller presses are told; where they are not, they are heard as tones. */
  readonly sendsDigits: boolean;
  /** The carrier takes sound in pieces of so many milliseconds, a multiple of 20. */
  readonly packetMs: number;
  readonly playback: PlaybackConfirmation;
  /** What was handed to the line is heard so much later, where that is known and worth counting; 0 where not given. */
  readonly playoutDelayMs?: number;
  /** Hands over what came in so far and everything that follows. Once. */
  listen(listener: LegListener): void;
  /** Every 20 ms, on the metronome: gives up on frames that are too late, notices a socket that fell silent. */
  tick(nowMs: number): void;
  /** Queues one 20 ms frame at the carrier. The bytes are not kept. False when the socket is congested or closed. */
  play(frame: Uint8Array): boolean;
  /** No more sound for now: what waits for a whole packet goes out, filled up with silence. */
  flush(): void;
  /** Asks to be told when everything played so far was heard. Names are unique within the call. */
  mark(name: string): void;
  /** Drops what the carrier has not played yet. */
  clear(): void;
  /** Shows what is said to whoever looks at the call while it goes on, where the line can do that. */
  transcript?(transcript: LiveTranscriptLine): void;
  /**
   * Ends the call at the carrier where the socket can do that, and closes the socket. `reason` is for those who can read
   * it. Idempotent.
   */
  hangUp(reason?: string): void;
}

/** Of the agent's side what was heard so far; of the caller's what was understood. `final`: this line will not change. */
export interface LiveTranscriptLine {
  role: 'user' | 'agent';
  text: string;
  final: boolean;
  /** Milliseconds since 1970. */
  at_ms: number;
}

/** What this carrier's answers mean. */
export interface PlaybackConfirmation {
  /** The carrier tells when a mark was played; where none does, the clock alone says what was heard. */
  marks: boolean;
  /** Twilio and Telnyx return outstanding marks at once on a clear, Plivo drops them: neither proves hearing. */
  marksReturnedOnClear: boolean;
  /** The carrier acknowledges a clear. */
  clearAcknowledged: boolean;
}

/** Why the leg ended by itself. */
export type LegEnd =
  /** The carrier said the call is over, or its protocol has no other way to say so than closing. */
  | 'hung up'
  /** The socket broke or fell silent while the call was on. */
  | 'lost'
  /** What the carrier sent cannot be understood. */
  | 'protocol error'
  /** We could not get our audio out for seconds. */
  | 'congested'
  /** The part of this engine that carries a browser's sound died. */
  | 'media failed';

export interface LegListener {
  /**
   * 20 ms of the caller in the leg's format, in order and without gaps: what never came is concealed. `atMs` is
   * the monotonic moment the last sample came in. The bytes are only valid during the call.
   */
  audio(frame: Uint8Array, atMs: number): void;
  /** The carrier's socket broke and may come back: what lay there unheard is lost. */
  stalled?(): void;
  mark(name: string): void;
  cleared(): void;
  digit(digit: string): void;
  /** Once; nothing follows. */
  ended(cause: LegEnd, detail: string): void;
}
