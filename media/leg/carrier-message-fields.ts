import type { CarrierMessage } from './carrier-protocol.ts';
import { asAudio, asCount, asDigit, asName, asText, type Fields } from './frame-parser.ts';

/** Fields that several carriers share. `eventName` is the carrier's own name of the message, for the reason of an invalid one. */

export function invalid(why: string): CarrierMessage {
  return { type: 'invalid', reason: why };
}

/** One object for all of them: they may come as often as audio. */
export const FOREIGN: CarrierMessage = Object.freeze({ type: 'foreign' });

/** Whether a message names another stream; before the start, and where none is named, it does not. */
export function isForeign(named: unknown, streamId: string | undefined): boolean {
  return named !== streamId && streamId !== undefined && named !== undefined && named !== null;
}

/** What a carrier says of an error, cut to a length for the timeline. */
export function readError(text: unknown): CarrierMessage {
  return { type: 'error', reason: asText(text)?.slice(0, MAX_ERROR_CHARACTERS) ?? 'an error without a reason' };
}

const MAX_ERROR_CHARACTERS = 200;

/** Names audio in the carrier's own words: `L16 at 16000 Hz`. Anything else than a short plain name is left out. */
export function audioName(encoding: unknown, rateHz: unknown, channels: unknown = 1): string {
  const name = typeof encoding === 'string' && /^[\w/.;=+ -]{1,40}$/.test(encoding) ? encoding : 'an unnamed codec';
  const rate = asCount(rateHz);
  const count = asCount(channels);
  return `${name}${rate === null ? '' : ` at ${rate} Hz`}${count === null || count === 1 ? '' : `, ${count} channels`}`;
}

export function readMark(name: unknown, eventName = 'mark'): CarrierMessage {
  const own = asName(name);
  return own === null ? invalid(`${eventName} without a name`) : { type: 'mark', name: own };
}

export function readDigit(value: unknown, eventName = 'dtmf'): CarrierMessage {
  const digit = asDigit(value);
  return digit === null ? invalid(`${eventName} without a digit`) : { type: 'digit', digit };
}

const INBOUND = ['inbound', 'inbound_track'];

/** Reads audio with its sequence number. Other tracks are ignored: the agent's own audio comes back when a stream asks for both. */
export function readSequencedAudio(media: Fields | null, tracks: readonly unknown[] = INBOUND): CarrierMessage {
  if (!media) return invalid('media without content');
  if (media.track !== undefined && !tracks.includes(media.track)) return { type: 'ignored' };
  const sequence = asCount(media.chunk);
  if (sequence === null) return invalid('media without a chunk number');
  const payload = asAudio(media.payload);
  return payload ? { type: 'audio', sequence, payload } : invalid('media without base64 audio');
}
