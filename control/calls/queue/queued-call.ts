import type { CallRow } from '../call-row.ts';
import type { NewCall } from '../store.ts';

/** The columns that are set after a call was queued, with the defaults of the table. */
const NOT_YET = {
  placed_at: null,
  started_at: null,
  ended_at: null,
  completed_at: null,
  duration_seconds: 0,
  hangup_by: null,
  hangup_reason: '',
  answered_by: null,
  summary: '',
  recorded: false,
  recording_unknown: false,
  avg_first_audio_ms: null,
  transfer: null,
  rescheduled_from: null,
  rescheduled_to: null,
  usage: null,
  cost_paise: 0,
  plan_seconds_covered: 0,
  analysis_cost_paise: 0,
  finished: false,
  ringing_at: null,
  dial_state: '',
  dial_due_at: null,
  dial_tries: 0,
  media_seq: 0,
  media_stream_seq: 0,
  media_nonce: null,
  engine_id: '',
  handoff_agent_ids: [] as string[],
  provider_call_id: '',
  provider_request_id: '',
  carrier_ended_at: null,
  hangup_requested_reason: '',
} as const;

/** A queued call as its row is once it was written with its first event, without reading it. */
export const queuedCall = (call: NewCall): CallRow => ({
  ...NOT_YET,
  ...{ batch_id: null, transcript: [], extracted: {}, provider_usage: [], cost_breakdown: {}, event_seq: 1 },
  ...call,
});
