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

export type DialOutcome =
  | { accepted: true; provider_call_id: string; provider_request_id: string }
  /** `reason` is the carrier's own text, one line, or this service's own when it could not ask. */
  | { accepted: false; reason: string; by?: 'carrier' | 'service' };
