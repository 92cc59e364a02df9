import type { AudioFormat } from '../audio/format.ts';
import type { PlaybackProof } from './leg.ts';

/**
 * A carrier's wire format as pure functions, one file per carrier: text in, meaning out. Nothing is thrown: what
 * cannot be read is `invalid` with the reason, what need not be read is `ignored`.
 */
export interface Wire {
  readonly carrier: string;
  readonly playback: PlaybackProof;
  /** A closing socket is this carrier's way to say that the caller hung up. */
  readonly closeMeansHangUp: boolean;
  decode(text: string): WireMessage;
  /** One piece of audio as a message; `format` is the one the stream's `start` gave, which some carriers want repeated. */
  audio(streamId: string, payload: Uint8Array, format: AudioFormat): string;
  mark(streamId: string, name: string): string;
  clear(streamId: string): string;
}

export type WireMessage =
  | { type: 'start'; streamId: string; providerCallId: string; format: AudioFormat; parameters: Record<string, string> }
  /** `order` counts frames (1, 2, 3, …) as the carrier numbers them; `payload` is raw audio in the stream's format. */
  | { type: 'audio'; order: number; payload: Uint8Array }
  | { type: 'mark'; name: string }
  | { type: 'cleared' }
  | { type: 'digit'; digit: string }
  | { type: 'stop' }
  | { type: 'ignored' }
  | { type: 'invalid'; why: string };
