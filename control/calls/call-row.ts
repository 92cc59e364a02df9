import type { AnsweredBy, CallStatus, Channel, Direction, HangupBy, HangupReason } from '../../shared/call.ts';
import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { STREAM_PROVIDER } from '../../shared/stream-messages.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { ProviderUsage, Usage } from '../../shared/usage.ts';
import type { CostBreakdown } from '../billing/cost-breakdown.ts';

/** A line of the transcript as stored; `at` is in milliseconds since 1970. */
export interface StoredTranscriptItem extends Omit<TranscriptItem, 'at_ms'> {
  at: number;
}

/** What carries a call: empty of a browser's. */
export type CallProvider = CarrierName | typeof STREAM_PROVIDER | '';

export type UserData = Record<string, string | number | boolean>;

/** A row of the table `calls`, which is `live_calls` and `finished_calls`: the fields of the API's Call record, then the internal columns. */
export interface CallRow {
  workspace_id: string;
  id: string;
  agent_id: string | null;
  agent_name: string;
  agent_version: number;
  batch_id: string | null;
  direction: Direction;
  channel: Channel;
  status: CallStatus;
  from_number: string;
  to_number: string;
  user_data: UserData;
  started_by: string;
  provider: CallProvider;
  created_at: Date;
  not_before_at: Date | null;
  placed_at: Date | null;
  started_at: Date | null;
  ended_at: Date | null;
  completed_at: Date | null;
  duration_seconds: number;
  hangup_by: HangupBy | null;
  /** Empty before the end. */
  hangup_reason: HangupReason | '';
  answered_by: AnsweredBy | null;
  transcript: StoredTranscriptItem[];
  summary: string;
  extracted: Record<string, unknown>;
  recorded: boolean;
  /** The call ended without its engine: whether there is a recording must still be looked up in the store. */
  recording_unknown: boolean;
  avg_first_audio_ms: number | null;
  transfer: { name: string; number: string; reason: string; status: string; at: number } | null;
  rescheduled_from: string | null;
  rescheduled_to: string | null;
  usage: Usage | null;
  /** What each provider and model consumed. */
  provider_usage: ProviderUsage[];
  cost_paise: number;
  /** Empty until charged. */
  cost_breakdown: Partial<CostBreakdown>;
  plan_seconds_covered: number;
  analysis_cost_paise: number;
  currency: string;

  /** Nothing more is to come: the row lies in `finished_calls`, not in `live_calls`. Set by `move-finished-calls.ts` only. */
  finished: boolean;
  queued_at: Date;
  ringing_at: Date | null;
  /**
   * What is known of the dial. `requested`: the request is under way. `unknown`: its answer did not come. `slowed`: the carrier asked
   * for it later. Empty: decided.
   */
  dial_state: '' | 'requested' | 'unknown' | 'slowed';
  /** When the carrier is asked what became of the dial, or when the dial is sent again. */
  dial_due_at: Date | null;
  /** How often the carrier said "later", or did not know the call. */
  dial_tries: number;
  event_seq: number;
  media_seq: number;
  media_stream_seq: number;
  media_nonce: string | null;
  engine_id: string;
  /** Other agents that may go on, or have gone on, with the call. */
  handoff_agent_ids: string[];
  provider_call_id: string;
  provider_request_id: string;
  carrier_ended_at: Date | null;
  hangup_requested_reason: HangupReason | '';
}
