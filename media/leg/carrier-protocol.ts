import type { AudioFormat } from '../audio/format.ts';
import type { PlaybackConfirmation } from './leg.ts';

/**
 * A carrier's wire format as pure functions, one file per carrier: text in, meaning out. Nothing is thrown: what
 * cannot be read is `invalid` with the reason, what need not be read is `ignored`.
 */
export interface CarrierProtocol {
  readonly carrier: string;
  readonly playback: PlaybackConfirmation;
  /** A closing socket is this carrier's way to say that the caller hung up. */
  readonly closeMeansHangUp: boolean;
  /** Keys the caller presses come as messages; where they do not, they are heard as tones. */
  readonly sendsDigits: boolean;
  /** Sound is taken in pieces of so many whole frames: 1 for most. */
  readonly packetFrames: number;
  decode(text: string): CarrierMessage;
  /** A binary message, where the carrier's audio is one; the bytes are only lent. */
  decodeBinary?(bytes: Uint8Array): CarrierMessage;
  /**
   * One packet of audio as a message. `format` is the one the stream's `start` gave, which some carriers want repeated;
   * `number` counts the packets of the stream from 1. Binary messages are only valid until the next call.
   */
  audio(streamId: string, payload: Uint8Array, format: AudioFormat, number: number): string | Uint8Array;
  mark(streamId: string, name: string): string;
  clear(streamId: string): string;
  /** What ends the call on the socket itself, where there is such a thing. */
  hangUp?(streamId: string): string;
}

export type CarrierMessage =
  | {
      type: 'start';
      streamId: string;
      /** Empty where the stream does not name the call; the pass in its address does. */
      providerCallId: string;
      /** The caller's sound. */
      format: AudioFormat;
      /** The agent's sound, where it is not as the caller's. */
      agentFormat?: AudioFormat;
      parameters: Record<string, string>;
    }
  /**
   * `order` counts payloads (1, 2, 3, …) as the carrier numbers them, null where it does not and they come in order;
   * `payload` is raw audio in the stream's format.
   */
  | { type: 'audio'; sequence: number | null; payload: Uint8Array }
  | { type: 'mark'; name: string }
  | { type: 'cleared' }
  | { type: 'digit'; digit: string }
  /** The carrier's queue is full, or has room again. */
  | { type: 'hold'; full: boolean }
  | { type: 'stop' }
  | { type: 'ignored' }
  | { type: 'invalid'; reason: string };
