/** What carriers ask and report, in one form for all of them. */

/** Identifies a call at its carrier. Where the carrier gives a request id first, the call id is empty while it dials. */
export interface CarrierCallRef {
  provider_call_id: string;
  provider_request_id: string;
}

/** The response to a callback; the text is empty where the carrier expects none. */
export interface CallbackResponse {
  content_type: string;
  text: string;
}

export const EMPTY_RESPONSE: CallbackResponse = { content_type: 'text/plain; charset=utf-8', text: '' };

/** The fields of a form; a name sent more than once has several values. */
export type CallbackFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SignedCallback {
  /** The public URL exactly as the carrier called it, query included. */
  url: string;
  /** Of a form, or of the query of a GET; otherwise empty. */
  fields: CallbackFields;
  /** The body where it is a JSON object, and the text it was sent as. */
  json: Readonly<Record<string, unknown>> | null;
  raw: string;
  header(name: string): string;
}

/** What a callback says, without its proof. */
export type CallbackContent = Pick<SignedCallback, 'fields' | 'json'>;

export type CarrierStatus =
  | 'queued'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'no-answer'
  | 'busy'
  | 'failed'
  | 'canceled';

/** `stream`: the media stream of a live call broke or did not open, and may be opened again. */
export type CallbackKind = 'inbound' | 'answer' | 'status' | 'stream';

export interface CarrierCallback extends CarrierCallRef {
  /** Set where the carrier has one URL for everything; otherwise the URL tells the kind. */
  kind?: CallbackKind;
  /** Of that stream, where the carrier names it. */
  stream_id?: string;
  /** E.164, or empty when the carrier withholds it. */
  from_number: string;
  to_number: string;
  /** Null for a status that is not known here. */
  status: CarrierStatus | null;
  /** The status in the carrier's own words. */
  carrier_status: string;
  /** The account had too many calls at once: nobody was called, and the same dial is taken later. */
  over_limit?: boolean;
}
