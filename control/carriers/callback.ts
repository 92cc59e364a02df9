/** What carriers ask and tell, in the same words for all of them. */

/** A carrier that gives a request id first and the call's id later has only the second while it dials. */
export interface CarrierCallRef {
  provider_call_id: string;
  provider_request_id: string;
}

/** What a callback is answered with; an empty text where the carrier waits for none. */
export interface CallbackResponse {
  content_type: string;
  text: string;
}

/** The fields of a form; a name sent more than once has several values. */
export type CallbackFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SignedCallback {
  /** The public address exactly as the carrier called it, query included. */
  url: string;
  /** Of a form, or of the query where the carrier asks with GET; otherwise empty. */
  fields: CallbackFields;
  /** The body where it is a JSON object, and the bytes it was sent as. */
  json: Readonly<Record<string, unknown>> | null;
  raw: string;
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
  /**
   * What it wants, where one address serves for everything; otherwise the address says it. `stream`: the media stream of a
   * call that goes on broke, and may be opened anew.
   */
  kind?: 'inbound' | 'answer' | 'status' | 'stream';
  /** E.164, or empty when the carrier withholds it. */
  from_number: string;
  to_number: string;
  /** Null for a word that is not known here. */
  status: CarrierStatus | null;
  /** The carrier's own word. */
  carrier_status: string;
}
