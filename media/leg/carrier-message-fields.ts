import type { CarrierMessage } from './carrier-protocol.ts';
import { asAudio, asCount, asDigit, asName, type Fields } from './frame-parser.ts';

/** What carriers say alike, whatever they call it. `kind` is the carrier's own name for it. */

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

/** Sound with its number in the stream. The agent's own comes back as another track when a stream asks for both. */
export function readSequencedAudio(media: Fields | null, tracks: readonly unknown[] = INBOUND): CarrierMessage {
  if (!media) return invalid('media without content');
  if (media.track !== undefined && !tracks.includes(media.track)) return { type: 'ignored' };
  const order = asCount(media.chunk);
  if (order === null) return invalid('media without a chunk number');
  const payload = asAudio(media.payload);
  return payload ? { type: 'audio', sequence: order, payload } : invalid('media without base64 audio');
}
