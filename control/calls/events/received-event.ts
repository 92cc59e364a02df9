import type { DeliveredEvent } from '../../../shared/bus/event-consumer.ts';
import type { StoredEvent } from '../../../shared/bus/event-stream.ts';
import { storableText } from '../../db/storable-text.ts';
import { type MediaEvent, parseMediaEvent } from './media-event.ts';

/** An event of a call with its number, delivered by the bus or read from its stream. */
export interface ReceivedEvent {
  call_id: string;
  seq: number;
  position: number;
  raw: Uint8Array;
  /** A string says what is wrong with it. */
  parsed: MediaEvent | string;
  /** Null for an event that was read: it is acknowledged when it is delivered. */
  delivered: DeliveredEvent | null;
}

const INT4_MAX = 2 ** 31 - 1;

/** Null when the event cannot be decoded, or has a number or a call's id that cannot be stored. */
export function receivedEvent(delivered: DeliveredEvent): ReceivedEvent | null {
  const { event, raw, position } = delivered;
  return event && storable({ event, raw, position }, delivered);
}

/** Null as for `receivedEvent`: such an event is put aside when it is delivered. */
export const readEvent = (stored: StoredEvent): ReceivedEvent | null => storable(stored, null);

function storable({ event, raw, position }: StoredEvent, delivered: DeliveredEvent | null): ReceivedEvent | null {
  const { call_id, seq } = event;
  if (seq > INT4_MAX || storableText(call_id) !== call_id) return null;
  return { call_id, seq, position, raw, parsed: parseMediaEvent(event), delivered };
}

export interface Sorted {
  /** On the timeline already. */
  known: ReceivedEvent[];
  /** To be written now, in this order. */
  inTurn: ReceivedEvent[];
  /** Behind a gap, in this order. */
  held: ReceivedEvent[];
}

/** Sorts events of one call by number. `mediaSeq` is the last number that was read, `written` has numbers up to it. */
export function sortEvents(events: readonly ReceivedEvent[], mediaSeq: number, written: ReadonlySet<number>): Sorted {
  const sorted: Sorted = { known: [], inTurn: [], held: [] };
  const seen = new Set(written);
  let next = mediaSeq + 1;
  for (const event of [...events].sort((a, b) => a.seq - b.seq)) {
    if (seen.has(event.seq)) sorted.known.push(event);
    else if (event.seq <= next) {
      sorted.inTurn.push(event);
      next = Math.max(next, event.seq + 1);
    } else sorted.held.push(event);
    seen.add(event.seq);
  }
  return sorted;
}
