export interface DialRequest {
  /** E.164 */
  from_number: string;
  to_number: string;
  /** Where the carrier fetches the answer document (POST). */
  answer_url: string;
  /** Where the carrier tells how the call goes (POST). */
  status_url: string;
  ring_seconds: number;
  /** The call's media stream, for a carrier that connects it without asking; good until long after the ringing. */
  stream_url?: string;
}

export type DialOutcome =
  | { accepted: true; provider_call_id: string; provider_request_id: string }
  /** `words` are the carrier's own, one line. */
  | { accepted: false; reason: string };
