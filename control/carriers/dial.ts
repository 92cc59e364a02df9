import type { CarrierCallback, CarrierCallRef, CarrierStatus } from './callback.ts';

export interface DialRequest {
  /** E.164 */
  from_number: string;
  to_number: string;
  /** Where the carrier fetches the answer document (POST). */
  answer_url: string;
  /** Where the carrier reports the call's status (POST). */
  status_url: string;
  ring_seconds: number;
  /** The call's media stream, for a carrier that connects it without asking; valid until long after the ringing. */
  stream_url?: string;
}

/** What is known once a dial was requested. `reason` is one line: the carrier's own text, or this service's when it could not ask. */
export type DialOutcome =
  | { accepted: true; provider_call_id: string; provider_request_id: string }
  /** Nobody is called. */
  | { accepted: false; reason: string; by?: 'carrier' | 'service' }
  /** Nobody is called, and the carrier takes the same request later; null where it does not say when. */
  | { accepted: 'later'; reason: string; retry_after_ms: number | null }
  /** The answer did not come, or says nothing: somebody may be called. */
  | { accepted: 'unknown'; reason: string };

/** A dial whose answer did not come. */
export interface LostDial {
  call_id: string;
  from_number: string;
  to_number: string;
  /** When it was requested, or up to a second earlier. */
  dialled_at_ms: number;
}

export interface FoundDial extends CarrierCallRef {
  /** Null where the carrier's list has none. */
  status: CarrierStatus | null;
  carrier_status: string;
}

export interface FoundDials {
  /** All calls that may be the dial; those of the service's other calls may be among them. */
  dials: FoundDial[];
  /** Whether they were found by the call's own id; otherwise by their numbers and time. */
  exact: boolean;
  /** The carrier names calls that wait or ring, too: a dial that is missing was not taken. */
  complete: boolean;
}

/** What a carrier says of a call that it took; `status` is null where it says no more than that the call goes on. */
export type CallAtCarrier = Pick<CarrierCallback, 'status' | 'carrier_status'>;

/** Clocks differ, and carriers write whole seconds. */
const EARLY_MS = 5_000;
/** A request that arrives later than this was given up before. */
const LATE_MS = 60_000;

/** Whether a call that the carrier wrote down at that time can be the dial. */
export function mayBeOfDial(createdAtMs: number, { dialled_at_ms }: LostDial): boolean {
  return createdAtMs >= dialled_at_ms - EARLY_MS && createdAtMs <= dialled_at_ms + LATE_MS;
}
