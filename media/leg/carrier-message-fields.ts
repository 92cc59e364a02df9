import type { CarrierMessage } from './carrier-protocol.ts';
import { asAudio, asCount, asDigit, asName, type Fields } from './frame-parser.ts';

/** Fields that several carriers share. `eventName` is the carrier's own name of the message, for the reason of an invalid one. */

export function invalid(why: string): CarrierMessage {
  return { type: 'invalid', reason: why };
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
