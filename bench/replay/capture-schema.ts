import { z } from 'zod';
import type { CaptureEntry, CaptureHeader } from '../../shared/capture.ts';
import { REALTIME_TOKENS } from '../../shared/usage.ts';

/**
 * Validates the lines of captures from untrusted sources: their types, and limits that keep a replay finite. The fields are
 * documented in `shared/capture.ts`.
 */

/** A call lasts at most an hour. */
const MAX_MS = 2 * 3_600_000;
const MAX_AUDIO_BASE64 = 65_536;
const MAX_PACKET_BASE64 = 2_000;
const MAX_SYNTHESIZED_BYTES = 2 ** 22;
/** Transcripts and spoken texts are compared word by word. */
const MAX_TEXT = 20_000;

const number = z.int().min(0).max(1_000_000);
const moment = z.number().min(-MAX_MS).max(MAX_MS);
const after = z.number().min(0).max(MAX_MS);
const word = z.string().max(200);
const text = z.string();
const said = z.string().max(MAX_TEXT);
const format = z.object({
  encoding: z.enum(['mulaw', 'alaw', 'pcm16']),
  sample_rate: z.int().min(8_000).max(48_000),
});
const legEnd = z.enum(['hung up', 'lost', 'protocol error', 'congested', 'media failed']);
const failure = z.object({
  provider: word,
  kind: word,
  message: text,
  status: z.int().optional(),
  retry_after_ms: z.number().nullable().optional(),
});
const component = z.enum(['transcriber', 'synthesizer', 'realtime']);

const transcriberEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['turn_started', 'partial', 'turn_eager_end', 'turn_resumed', 'turn_ended', 'final']),
    turn: number,
    text: said,
  }),
  z.object({ type: z.literal('failed'), failure }),
]);
const synthesizerEvent = z.discriminatedUnion('type', [
  // Whole samples in every encoding.
  z.object({ type: z.literal('audio'), bytes: z.int().min(0).max(MAX_SYNTHESIZED_BYTES) }),
  z.object({ type: z.literal('timing'), text: said, startMs: z.array(z.number()).max(MAX_TEXT) }),
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('failed'), failure }),
]);
const toolCall = z.object({ id: word, name: word, arguments: text, signature: text.optional() });
const itemId = word;
const sessionEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('partial'), text: said }),
  z.object({ type: z.literal('transcript'), itemId, text: said.nullable() }),
  z.object({ type: z.literal('turn_started') }),
  z.object({ type: z.enum(['turn_ended', 'item']), itemId }),
  z.object({ type: z.literal('audio'), itemId, bytes: z.int().min(1).max(MAX_SYNTHESIZED_BYTES) }),
  z.object({ type: z.literal('text'), itemId, text: said }),
  z.object({ type: z.literal('tool_call'), itemId, call: toolCall }),
  z.object({ type: z.literal('reply_ended'), failure: z.object({ kind: word, message: text }).nullable() }),
  z.object({ type: z.literal('usage'), tokens: z.record(z.enum(REALTIME_TOKENS), z.number().min(0)) }),
  z.object({ type: z.literal('expires'), inMs: z.number().min(0).max(MAX_MS) }),
  z.object({ type: z.literal('failed'), failure }),
]);
const modelPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: said }),
  z.object({
    type: z.literal('tool_call'),
    call: toolCall,
  }),
  z.object({ type: z.literal('usage'), input_tokens: z.number(), output_tokens: z.number() }),
  z.object({ type: z.literal('finish'), reason: word }),
]);
const response = z.object({
  status: z.int(),
  headers: z.record(z.string(), text),
  body: text,
  bytes: z.number(),
  truncated: z.boolean(),
});

const knowledge = z.object({ text, search: z.boolean() }).nullable();
const handoffReply = z.object({
  refused: text,
  agent: z
    .object({ agent_id: word, agent_json: text, user_data_json: text, knowledge, paid_seconds: z.number().min(0) })
    .optional(),
});

const kind = <Kind extends CaptureEntry['k'], Shape extends z.ZodRawShape>(k: Kind, shape: Shape) =>
  z.object({ t: moment, k: z.literal(k), ...shape });

const entry = z.discriminatedUnion('k', [
  kind('audio', { sequence: z.int().nullable(), audio: z.string().max(MAX_AUDIO_BASE64) }),
  kind('packet', {
    sequence: z.int().min(0).max(0xffff),
    timestamp: z.int().min(0).max(0xffff_ffff),
    ms: z.number().min(0).max(120).nullable(),
    pause: z.boolean(),
    audio: z.string().max(MAX_PACKET_BASE64),
  }),
  kind('mute', { muted: z.boolean() }),
  kind('connection_report', { round_trip_ms: z.number().min(0).max(2_000) }),
  kind('ended', { cause: legEnd, detail: text }),
  kind('mark', { name: word }),
  kind('pong', {}),
  kind('cleared', {}),
  kind('digit', { digit: z.string().max(1) }),
  kind('hold', { held: z.boolean() }),
  kind('stop', {}),
  kind('invalid', { reason: text }),
  kind('carrier_error', { reason: text }),
  kind('closed', { code: z.int(), broken: z.object({ cause: legEnd, detail: text }).nullable() }),
  kind('stream', {}),
  kind('socket', { writable: z.boolean() }),
  kind('vad', { p: z.number().min(0).max(1), end: moment, periodicity: z.number() }),
  kind('created', { component, n: number, provider: word, model: word, format, decides_turns: z.boolean() }),
  kind('opened', { component, n: number, after, failure: failure.nullable() }),
  kind('transcriber_event', { n: number, event: transcriberEvent }),
  kind('session_created', {
    ...{ n: number, provider: word, model: word, input: format, output: format },
    ...{ edits: z.boolean(), text_output: z.boolean(), max_session_ms: z.number().positive() },
  }),
  kind('session_event', { n: number, c: number.nullable(), after, event: sessionEvent }),
  kind('synthesizer_event', { n: number, c: number, after, event: synthesizerEvent }),
  kind('synthesizer_failed', { n: number, failure }),
  kind('llm_request', { n: number }),
  kind('llm_part', { n: number, after, part: modelPart.nullable(), failure: failure.nullable() }),
  kind('tool_response', { n: number, after, response: response.nullable(), failure: failure.nullable() }),
  kind('bus_reply', { request: word, n: number, after, reply: z.unknown(), failure: text.nullable() }).refine(
    ({ request, reply }) => request !== 'handoff' || handoffReply.nullable().safeParse(reply).success,
    'no reply to a handoff',
  ),
  kind('command', { command: z.looseObject({ hangup_by: word, hangup_reason: word }) }),
  kind('live_order', { order: z.looseObject({ order_id: word, order_json: z.string() }) }),
  kind('transfer_outcome', { outcome: z.looseObject({ transfer_id: word, status: word }) }),
  kind('permit', { account: word, n: number, after, granted: z.boolean() }),
  kind('health', { key: word, healthy: z.boolean(), reason: text.default('unhealthy since an earlier call') }),
  kind('turn_prediction', { n: number, after, p: z.number().min(0).max(1) }),
  kind('timeline_event', {
    type: word,
    level: word,
    message: text,
    latency_ms: z.number().nullable(),
    data: z.unknown(),
  }),
  kind('truncated', { reason: text }),
]);

const head = z.object({
  k: z.literal('header'),
  version: z.literal([3, 4]),
  call_id: word,
  wall_ms: z.number().min(0).max(8e12),
  redacted: z.boolean(),
  session: z.object({
    direction: z.enum(['inbound', 'outbound']),
    channel: z.enum(['phone', 'web']),
    agent_json: text,
    user_data_json: text,
    max_duration_seconds: z
      .number()
      .min(0)
      .max(MAX_MS / 1_000),
    capped_by_credits: z.boolean().optional(),
    llm_fallbacks: z.array(word).max(20),
    knowledge,
  }),
  leg: z.object({ carrier: word, caller: format, agent: format }),
});

/** Parses a line; throws with a readable reason. */
export function readHead(value: unknown): CaptureHeader {
  const { k, version } = (value ?? {}) as { k?: unknown; version?: unknown };
  if (k !== 'header') throw new Error('it has no capture header');
  if (version !== 3 && version !== 4)
    throw new Error(`capture version ${String(version)} is not supported, only 3 and 4`);
  return checked(head, value) as CaptureHeader;
}

/** Parses a line; throws with a readable reason. */
export function readEntry(value: unknown): CaptureEntry {
  return checked(entry, value) as CaptureEntry;
}

function checked<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new Error(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'cannot be read'}`);
}
