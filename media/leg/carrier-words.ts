import { asAudio, asCount, asDigit, asName, type Fields } from './reading.ts';
import type { WireMessage } from './wire.ts';

/** What carriers say alike, whatever they call it. `kind` is the carrier's own name for it. */

export function invalid(why: string): WireMessage {
  return { type: 'invalid', why };
}

export function readMark(name: unknown, kind = 'mark'): WireMessage {
  const own = asName(name);
  return own === null ? invalid(`${kind} without a name`) : { type: 'mark', name: own };
}

export function readDigit(value: unknown, kind = 'dtmf'): WireMessage {
  const digit = asDigit(value);
  return digit === null ? invalid(`${kind} without a digit`) : { type: 'digit', digit };
}

const INBOUND = ['inbound', 'inbound_track'];

/** Sound with its number in the stream. The agent's own comes back as another track when a stream asks for both. */
export function readNumberedSound(media: Fields | null, tracks: readonly unknown[] = INBOUND): WireMessage {
  if (!media) return invalid('media without content');
  if (media.track !== undefined && !tracks.includes(media.track)) return { type: 'ignored' };
  const order = asCount(media.chunk);
  if (order === null) return invalid('media without a chunk number');
  const payload = asAudio(media.payload);
  return payload ? { type: 'audio', order, payload } : invalid('media without base64 audio');
}
