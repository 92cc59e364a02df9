import { z } from 'zod';
import { CALL_STATUSES } from '../../shared/call.ts';
import { callVariables } from '../../shared/live-control.ts';
import { TRANSCRIPT_ROLES } from '../../shared/transcript.ts';
import { costBreakdown } from '../billing/cost-breakdown.ts';
import { time, timeIn } from '../http/times.ts';
import type { CallRow } from './call-row.ts';

const id = (of: string) => z.string().describe(of);
/** Times are in whole seconds, which is too coarse for where something is in the recording. */
const offset = (of: string) =>
  z
    .int()
    .nullable()
    .describe(`${of} in milliseconds from the answer, where the recording begins; null when it was never answered`);

const summaryFields = {
  id: id('the id of the call'),
  agent_id: id('null when the called number has no agent').nullable(),
  agent_name: z.string().describe('as when the call was placed'),
  agent_version: z.int().describe("the agent's version the call was placed with"),
  batch_id: id('the batch the call belongs to').nullable(),
  direction: z.enum(['outbound', 'inbound']).describe('who called whom: `outbound` is placed by the service'),
  channel: z.enum(['phone', 'web']).describe("`web`: from a browser, or over a client's stream"),
  status: z
    .enum(CALL_STATUSES)
    .describe(
      'moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over',
    ),
  from_number: z.string().describe('E.164; empty where `channel` is `web`'),
  to_number: z.string().describe('E.164; empty where `channel` is `web`'),
  user_data: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('values of the variables in welcome message and prompt'),
  queue_position: z.int().nullable().describe('only while queued, 1 is next; 1001: a thousand or more are before it'),
  started_by: z.string().describe('a person, the label of a key, `batch <name>`, or empty for inbound calls'),
  provider: z.string().describe("the carrier; `stream` for a call over a client's stream, empty for browser calls"),
  created_at: time('when the call was placed or came in'),
  not_before_at: time('a call back booked for later waits until then').nullable(),
  placed_at: time('when the carrier accepted the call').nullable(),
  started_at: time('when it was answered').nullable(),
  ended_at: time('when the call ended').nullable(),
  completed_at: time('when the record became final; connected calls only').nullable(),
  duration_seconds: z.int().describe('live time, rounded up; 0 before the end'),
  hangup_by: z
    .enum(['caller', 'agent', 'member', 'carrier', 'service'])
    .nullable()
    .describe(
      'who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or ' +
        'transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the ' +
        'call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live',
    ),
  hangup_reason: z.string().describe('why it ended, one of a closed list; empty while live'),
  answered_by: z.enum(['human', 'machine']).nullable().describe('null when not known'),
  summary: z.string().describe('of the post-call analytics; empty until analysed or when off'),
  recorded: z.boolean().describe('a recording can be fetched'),
  avg_first_audio_ms: z
    .int()
    .nullable()
    .describe("from the caller's last word to the agent's first audio, on average; null without a turn"),
  transfer: z
    .object({
      name: z.string().describe('of the target'),
      number: z.string().describe('of the target, E.164'),
      reason: z.string().describe('why, as the agent gave it'),
      status: z.string().describe('`ringing`, or its outcome'),
      at: time('when the transfer began'),
    })
    .nullable()
    .describe('the last transfer to a person; null when there was none'),
  rescheduled_from: id('the call this one is a call back of').nullable(),
  rescheduled_to: id('the call back that was booked').nullable(),
  cost_paise: z.int().describe('what was charged for it, in the smallest unit of `currency`'),
  plan_seconds_covered: z.int().describe("seconds paid from the plan's included minutes"),
  analysis_cost_paise: z.int().describe('what its post-call analytics cost, charged apart'),
  currency: z.string().describe('`INR` or `USD`'),
};

/** A line of the transcript. */
export const transcriptLine = z.object({
  role: z
    .enum(TRANSCRIPT_ROLES)
    .describe('`user` is the caller, `human_agent` a person who spoke to the caller in a live call'),
  text: z.string().describe('what was said; of the agent, what was played'),
  at: time('when it was said: of the agent when it began, of people when it was over'),
  interrupted: z.boolean().describe('the caller spoke over the rest of it'),
});

/** What a call consumed. */
export const usageRecord = z.object({
  stt_seconds: z.number().describe('of the caller, and of people who spoke to them, that was transcribed'),
  tts_characters: z.number().describe('of the agent that were played'),
  llm_input_tokens: z.number().describe('read by the language model'),
  llm_output_tokens: z.number().describe('written by the language model'),
  llm_calls: z.number().describe('requests to the language model'),
});

const detailFields = {
  transcript: z.array(transcriptLine.extend({ offset_ms: offset('the same') })).describe('what was said, in order'),
  extracted: z
    .record(z.string(), z.unknown())
    .describe('of the post-call analytics: one entry per extraction key, and the keys of the extraction prompt'),
  usage: usageRecord.nullable().describe('what the call consumed; null when never connected'),
  // As stored, by whichever release charged the call: only documented, never refused.
  cost_breakdown: z.record(z.string(), z.unknown()).meta({
    description: 'how `cost_paise` came about; empty until charged',
    properties: z.toJSONSchema(costBreakdown.partial()).properties,
  }),
};

/** A row of `GET /calls`. */
export const callSummary = z.object(summaryFields).meta({ id: 'CallSummary' });
/** The whole Call. */
export const callRecord = z.object({ ...summaryFields, ...detailFields }).meta({ id: 'Call' });

export const timelineItem = z
  .object({
    id: id('`evt_` and 32 hex characters; the same in webhooks'),
    seq: z.int().describe('its position on the timeline, from 1 without a gap'),
    type: z.string().describe('what happened'),
    message: z.string().describe('one line for a person; what was said, for events that carry speech'),
    level: z.enum(['info', 'warning', 'error']).describe('severity'),
    latency_ms: z.int().nullable().describe('for events that measure something'),
    data: z.record(z.string(), z.unknown()).describe('fields of this type of event'),
    created_at: time('when it happened'),
    offset_ms: offset('the same'),
  })
  .meta({ id: 'TimelineItem' });

/** The instant in milliseconds from the call's answer. */
export const offsetIn = ({ started_at }: Pick<CallRow, 'started_at'>, at: Date | number): number | null =>
  started_at === null ? null : Math.round(Number(at) - started_at.getTime());

/** The call with the place of each line of its transcript in the recording. */
export const withOffsets = <Call extends Pick<CallRow, 'started_at' | 'transcript'>>(call: Call) => ({
  ...call,
  transcript: call.transcript.map((line) => ({ ...line, offset_ms: offsetIn(call, line.at) })),
});

/** Writes the time of a booked callback in the zone of the request. */
export function timelineItemIn<Item extends { type: string; data: Record<string, unknown> }>(
  zone: string,
  item: Item,
): Item {
  const { at } = item.data;
  if (item.type !== 'call.rescheduled' || (typeof at !== 'string' && typeof at !== 'number')) return item;
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  return Number.isFinite(atMs) ? { ...item, data: { ...item.data, at: timeIn(zone, atMs) } } : item;
}

/** Values of an agent's `{variables}`, as a request sends them. */
export const userDataInput = callVariables.describe('values of the variables in welcome message and prompt');
