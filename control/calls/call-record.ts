import { z } from 'zod';
import { CALL_STATUSES } from '../../shared/call.ts';
import { transcriptText } from '../../shared/transcript.ts';
import { time } from '../http/times.ts';
import type { CallRow } from './call-row.ts';

const id = z.string();

const summaryFields = {
  id,
  agent_id: id.nullable().describe('null when a number nobody answers for was called'),
  agent_name: z.string(),
  agent_version: z.int(),
  batch_id: id.nullable(),
  direction: z.enum(['outbound', 'inbound']),
  channel: z.enum(['phone', 'web']),
  status: z.enum(CALL_STATUSES),
  from_number: z.string(),
  to_number: z.string(),
  user_data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  queue_position: z.int().nullable().describe('only while queued, 1 is next'),
  started_by: z.string(),
  provider: z.string(),
  created_at: time(),
  not_before_at: time().nullable(),
  placed_at: time().nullable(),
  started_at: time().nullable(),
  ended_at: time().nullable(),
  completed_at: time().nullable(),
  duration_seconds: z.int(),
  hangup_by: z.enum(['caller', 'agent', 'member', 'carrier', 'service']).nullable(),
  hangup_reason: z.string(),
  answered_by: z.enum(['human', 'machine']).nullable(),
  summary: z.string(),
  recorded: z.boolean(),
  avg_first_audio_ms: z.int().nullable(),
  transfer: z
    .object({ name: z.string(), number: z.string(), reason: z.string(), status: z.string(), at: time() })
    .nullable(),
  rescheduled_from: id.nullable(),
  rescheduled_to: id.nullable(),
  cost_paise: z.int(),
  plan_seconds_covered: z.int(),
  analysis_cost_paise: z.int(),
  currency: z.string(),
};

const heavyFields = {
  transcript: z.array(
    z.object({ role: z.enum(['user', 'agent']), text: z.string(), at: time(), interrupted: z.boolean() }),
  ),
  extracted: z.record(z.string(), z.unknown()),
  usage: z
    .object({
      stt_seconds: z.number(),
      tts_characters: z.number(),
      llm_input_tokens: z.number(),
      llm_output_tokens: z.number(),
      llm_calls: z.number(),
    })
    .nullable()
    .describe('null when never connected'),
  cost_breakdown: z.record(z.string(), z.unknown()),
};

/** A row of `GET /calls`. */
export const callSummary = z.object(summaryFields).meta({ id: 'CallSummary' });
/** The whole Call. */
export const callRecord = z.object({ ...summaryFields, ...heavyFields }).meta({ id: 'Call' });

export const timelineItem = z
  .object({
    id,
    seq: z.int(),
    type: z.string(),
    message: z.string(),
    level: z.enum(['info', 'warning', 'error']),
    latency_ms: z.int().nullable(),
    data: z.record(z.string(), z.unknown()),
    created_at: time(),
  })
  .meta({ id: 'TimelineItem' });

/** The call as `call.completed` tells it: every field of the record, times in UTC, and the transcript as text. */
export function callInEvent(call: CallRow): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(callRecord.shape)) {
    const value = name === 'queue_position' ? null : call[name as keyof CallRow];
    shown[name] = value instanceof Date ? utc(value) : value;
  }
  shown.transcript = call.transcript.map((item) => ({ ...item, at: utc(item.at) }));
  if (call.transfer) shown.transfer = { ...call.transfer, at: utc(call.transfer.at) };
  shown.transcript_text = transcriptText(call.transcript);
  return shown;
}

/** `YYYY-MM-DDThh:mm:ss.sss+00:00` */
const utc = (instant: Date | number) => new Date(instant).toISOString().replace('Z', '+00:00');
