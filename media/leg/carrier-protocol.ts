import type { AudioFormat } from '../audio/format.ts';
import type { LiveTranscriptLine, PageToolCall, PageToolResult } from './leg.ts';

/**
 * A carrier's media stream protocol as pure functions, one file per carrier. Decoding never throws: a message that
 * cannot be read is `invalid` with the reason, one without meaning here is `ignored`.
 */
export interface CarrierProtocol {
  readonly carrier: string;
  /** A mark comes back when the audio before it was played. On a clear it may come back as well, at once. */
  readonly returnsMarks: boolean;
  /** The socket closes when the caller hangs up, without a stop message before. */
  readonly closeMeansHangUp: boolean;
  /** Digits come as messages; otherwise they have to be detected as tones. */
  readonly sendsDigits: boolean;
  /** Frames per outgoing audio packet. */
  readonly packetFrames: number;
  /** The agent's format where the stream's address asks for wideband (`?rate=16000`); absent where the start names it. */
  readonly widebandAgentFormat?: AudioFormat;
  /** With `streamId`, the one of the stream's start, a message that names another stream is `foreign`. */
  decode(text: string, streamId?: string): CarrierMessage;
  /**
   * Decodes a binary message, where the carrier sends audio as such; the bytes are valid during the call. `format` is the one of
   * the caller's audio.
   */
  decodeBinary?(bytes: Uint8Array, format: AudioFormat): CarrierMessage;
  /**
   * Encodes one packet of audio. `format` is the one of the stream's `start`, which some carriers want repeated;
   * `number` counts the stream's packets from 1. Binary messages are valid until the next call.
   */
  audio(streamId: string, payload: Uint8Array, format: AudioFormat, number: number): string | Uint8Array;
  mark(streamId: string, name: string): string;
  clear(streamId: string): string;
  /** Encodes the message that presses keys towards the caller, where the protocol has one. */
  pressKeys?(streamId: string, digits: string): string;
  /** Encodes the message that ends the call, where the protocol has one. */
  hangUp?(streamId: string): string;
  /** Encodes the message that says that the call has taken the stream, where the protocol has one. So the following ones. */
  started?(): string;
  /** A line of the live transcript; sent where the start asks for it. */
  transcript?(line: LiveTranscriptLine): string;
  /** Asks the other end to run a tool; sent where the start offers it. */
  toolCall?(call: PageToolCall): string;
  /** A message of the other end could not be read. */
  error?(reason: string): string;
  /** The last message before this side closes the stream. */
  ended?(reason: string): string;
}

export type CarrierMessage =
  | {
      type: 'start';
      streamId: string;
      /** Empty where the stream does not name the call; the stream token does. */
      providerCallId: string;
      /** Of the caller's audio. */
      format: AudioFormat;
      /** Of the agent's audio, where it differs. */
      agentFormat?: AudioFormat;
      /** Whether marks come back, where that is the stream's own. */
      returnsMarks?: boolean;
      /** The live transcript is asked for. */
      transcripts?: boolean;
      /** The other end runs the agent's tools of kind `client`. */
      tools?: boolean;
      parameters: Record<string, string>;
    }
  /**
   * A start whose audio cannot be read. `format` names it as the carrier does (`G722 at 8000 Hz`), `remedy` says what to set at
   * the carrier (`set contentType to …`).
   */
  | { type: 'unsupported'; providerCallId: string; format: string; remedy: string }
  /**
   * `sequence` counts payloads (1, 2, 3, …) as the carrier numbers them; null where it does not, and they come in order.
   * `payload` is raw audio in the stream's format.
   */
  | { type: 'audio'; sequence: number | null; payload: Uint8Array }
  | { type: 'mark'; name: string }
  /** The other end has read what was sent before the leg's last ping; no carrier's own message. */
  | { type: 'pong' }
  | { type: 'digit'; digit: string }
  | { type: 'tool_result'; result: PageToolResult }
  /** The carrier's playout queue is full, or is no longer. */
  | { type: 'hold'; full: boolean }
  | { type: 'stop' }
  /** The carrier reports that something failed, such as a playback; the stream goes on. */
  | { type: 'error'; reason: string }
  /** Of another stream than the one it came in. */
  | { type: 'foreign' }
  | { type: 'ignored' }
  | { type: 'invalid'; reason: string };
