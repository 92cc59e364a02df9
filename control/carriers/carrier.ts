import type { Carrier as CarrierName } from '../../shared/call.ts';

/** What this service asks of a telephone carrier. One file per carrier beside this one; which call is whose is not their business. */
export interface Carrier {
  readonly name: CarrierName;
  /** Asks the carrier to call somebody. A refusal is an answer, not an error; never throws, at most 10 seconds. */
  dial(order: DialOrder): Promise<DialOutcome>;
  /**
   * Ends a call, ringing or answered. `gone`: the carrier does not know it any more.
   * @throws CarrierError when the carrier did not answer or would not.
   */
  hangUp(call: CarrierCallRef): Promise<'done' | 'gone'>;
  /** Was this callback really sent by the carrier? Compares in constant time. */
  verify(callback: SignedCallback): boolean;
  /** What a callback says; null when it names no call. */
  read(fields: CallbackFields): CarrierCallback | null;
  /** The answer document that connects the call's sound with the stream address, both ways. */
  connectDocument(streamUrl: string): string;
  /** The answer document that rejects a call not yet answered with the cause busy. */
  busyDocument(): string;
  /** The answer document that ends a call already answered. */
  hangUpDocument(): string;
}

export interface DialOrder {
  /** E.164 */
  from_number: string;
  to_number: string;
  /** Where the carrier fetches the answer document (POST). */
  answer_url: string;
  /** Where the carrier tells how the call goes (POST). */
  status_url: string;
  ring_seconds: number;
}

export type DialOutcome =
  | { accepted: true; provider_call_id: string; provider_request_id: string }
  /** `words` are the carrier's own, one line. */
  | { accepted: false; words: string };

/** A carrier that gives a request id first and the call's id later has only the second while it dials. */
export interface CarrierCallRef {
  provider_call_id: string;
  provider_request_id: string;
}

/** The fields of a form; a name sent more than once has several values. */
export type CallbackFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SignedCallback {
  /** The public address exactly as the carrier called it, query included. */
  url: string;
  fields: CallbackFields;
  header(name: string): string;
}

export type CarrierStatus =
  | 'queued'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'no-answer'
  | 'busy'
  | 'failed'
  | 'canceled';

export interface CarrierCallback extends CarrierCallRef {
  /** E.164, or empty when the carrier withholds it. */
  from_number: string;
  to_number: string;
  /** Null for a word that is not known here. */
  status: CarrierStatus | null;
  /** The carrier's own word. */
  carrier_status: string;
}

export class CarrierError extends Error {
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.name = 'CarrierError';
    this.status = status;
  }
}

/** Carriers whose account is configured; the others are missing. */
export type Carriers = ReadonlyMap<CarrierName, Carrier>;
