import type { TranscriptRole } from '../../shared/transcript.ts';
import type { AudioFormat } from '../audio/format.ts';

/**
 * One end of a call: delivers the caller's audio as 20 ms frames in order, takes the agent's as 20 ms frames, and reports what
 * was played. A carrier's message format is a file of its own in `protocols/`.
 */
export interface Leg {
  /** `twilio`, `plivo`, …; the call record's `provider`. */
  readonly carrier: string;
  /** The format that `play` takes. */
  readonly format: AudioFormat;
  /** The format that the listener gets. */
  readonly callerFormat: AudioFormat;
  /** Digits come as messages; otherwise they have to be detected as tones. */
  readonly sendsDigits: boolean;
  /** Duration of the packets the carrier takes, a multiple of 20. */
  readonly packetMs: number;
  /** The carrier returns marks when they have played; otherwise the playout position comes from the clock. */
  readonly returnsMarks: boolean;
  /** Delay from `play` to playback at the other end, where it is known; 0 where not given. */
  readonly playoutDelayMs?: number;
  /** Delivers what came in so far and everything that follows. Call it once. */
  listen(listener: LegListener): void;
  /** Called every 20 ms by the media clock: gives up on frames that are too late, detects a silent socket. */
  tick(nowMs: number): void;
  /** Queues one 20 ms frame at the carrier. The bytes are not kept. False when the socket is congested or closed. */
  play(frame: Uint8Array): boolean;
  /** No more audio for now: sends an incomplete packet, padded with silence. */
  flush(): void;
  /** Asks the carrier to return this mark when everything before it has played. Names are unique within the call. */
  mark(name: string): void;
  /** Asks for a sign that everything sent so far was read: `pong` of the listener follows, or the leg ends. Absent where it is known. */
  ping?(): void;
  /** Drops what the carrier has not played yet. */
  clear(): void;
  /**
   * Takes back the last frames, at most so many, as far as they do not play yet, and returns how many: the next frame follows what
   * is left, without a gap. Absent where only the carrier knows what it has played.
   */
  takeBack?(atMost: number): number;
  /** Presses keys by the carrier's own message; false where the stream has none. Absent where no leg of the kind has one. */
  pressKeys?(digits: string): boolean;
  /** Sends a line of the live transcript to the other end, where it can be shown. */
  transcript?(transcript: LiveTranscriptLine): void;
  /** Has the other end run a tool, now or when it is back; `toolResult` of the listener follows. Absent where there is no page. */
  callTool?(call: PageToolCall): void;
  /**
   * Ends the call at the carrier where the socket can do that, and closes the socket. `reason` is sent where it can be read.
   * Idempotent.
   */
  hangUp(reason?: string): void;
}

/** A tool that the other end runs. */
export interface PageToolCall {
  /** Unique within the call. */
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** A later answer is not used. */
  timeoutMs: number;
}

export interface PageToolResult {
  id: string;
  /** Text for the model. */
  result: string;
  failed: boolean;
}

/** A line of the live transcript: the agent's text as played out so far, or the caller's as transcribed. */
export interface LiveTranscriptLine {
  role: TranscriptRole;
  text: string;
  /** This line will not change any more. */
  final: boolean;
  /** The caller talked over it, or the call ended in it; it ends with the last word that was played out. */
  interrupted: boolean;
  /** Milliseconds since 1970. */
  at_ms: number;
}

/** Why the leg ended by itself. */
export type LegEnd =
  /** The carrier said the call is over, or its protocol has no other way to say so than closing. */
  | 'hung up'
  /** The socket broke or fell silent during the call. */
  | 'lost'
  /** The carrier sent invalid messages. */
  | 'protocol error'
  /** The carrier took no audio for seconds. */
  | 'congested'
  /** The mediasoup worker, which carries browsers' audio, died. */
  | 'media failed';

export interface LegListener {
  /**
   * 20 ms of the caller in the leg's format, in order and without gaps: missing audio is concealed. `atMs` is the monotonic
   * moment the last sample came in, or should have come in where the network stood still (`audio/stream-clock.ts`). The bytes
   * are only valid during the call.
   */
  audio(frame: Uint8Array, atMs: number): void;
  /** The network delivered nothing of the caller for so long, and then all of it at once; the last of it follows. */
  networkStall?(stallMs: number): void;
  /** The carrier's socket broke and may come back; its unplayed audio is lost. */
  stalled?(): void;
  /** The carrier returned a mark: it was reached, or cleared. */
  mark(name: string): void;
  /** Everything sent before the last `ping` was read. */
  pong?(): void;
  digit(digit: string): void;
  toolResult?(result: PageToolResult): void;
  /** The carrier reports that something failed, such as a playback; the call goes on. */
  carrierError?(reason: string): void;
  /** Called once, as the last one. */
  ended(cause: LegEnd, detail: string): void;
}
