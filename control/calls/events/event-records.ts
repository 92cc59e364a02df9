import { z } from 'zod';
import type { EventType } from '../../../shared/events.ts';
import { DELIVERED_TYPES, SUBSCRIBABLE } from '../../webhooks/event-types.ts';
import { callRecord, transcriptLine, usageRecord } from '../call-record.ts';

/** What webhooks get of every type of event, for the OpenAPI document. Tests compare it with the events of conversations. */

const text = (description: string) => z.string().describe(description);
const integer = (description: string) => z.int().describe(description);
const instant = (description: string) => z.string().meta({ format: 'date-time', description });

const component = text('the part it happened to: `stt`, `llm`, `tts`, `transcriber`, `voice`, `carrier`, …');
const provider = text('as in the catalog');
/** A provider, and what it was set to. */
const service = (description: string) =>
  z
    .object({
      provider,
      model: text('as in the catalog'),
      voice_id: text('of a voice').optional(),
      voice_name: text('of a voice').optional(),
      language: text('where one is set').optional(),
    })
    .describe(description);
const target = { name: text('of the target'), number: text('of the target, E.164') };

const { transcript: _lines, ...callFields } = callRecord.shape;
const completedCall = z
  .object({
    ...callFields,
    transcript: z.array(transcriptLine).describe('what was said, in order'),
    transcript_text: text('the same as text, one line each'),
  })
  .describe('the record of the call; times in UTC');

/** The fields of `data` beside `message`, `level` and `latency_ms`. */
export const EVENT_DATA = {
  ping: {},
  'call.queued': {
    position: integer('in the queue of the workspace, from 1'),
    by: text('who placed it'),
    missing: z.array(z.string()).optional().describe('variables of the agent that got no value'),
    rescheduled_from: text('the call that this one is a call back of').optional(),
  },
  'call.placed': { provider: text('the carrier') },
  'call.started': {
    channel: z.enum(['phone', 'web']).describe('how the caller is connected'),
    from: text('E.164; empty in a browser'),
    to: text('E.164; empty in a browser'),
    stt: text('transcriber, as `provider/model`'),
    llm: text('language model, as `provider/model`'),
    tts: text('voice, as `provider/model`'),
    started_by: text('a person; browser calls only').optional(),
    values: z.array(z.string()).describe('variables that have a value'),
  },
  'call.ended': {
    duration_seconds: integer('live time, rounded up; connected calls only').optional(),
    avg_first_audio_ms: z
      .int()
      .nullable()
      .optional()
      .describe("from the caller's last word to the agent's first audio, on average; null without a turn"),
    usage: usageRecord.optional().describe('what the call consumed; connected calls only'),
    turn_taking: z
      .object({
        talk_over_ms: integer('caller and agent spoke at once, in milliseconds'),
        missed_interruptions: integer('the caller spoke over a reply for 2 s, and the agent spoke on'),
        false_interruptions: integer('the agent fell silent for a voice, and went on with the same reply'),
        long_silences: integer('nobody spoke for 4 s'),
      })
      .optional()
      .describe('how caller and agent took their turns, by the detector of voices'),
    variables: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('that got a value in the call'),
    hangup_by: text('who ended a call that the engine did not end').optional(),
    carrier_status: text("the carrier's word for why it was not connected").optional(),
  },
  'call.completed': { call: completedCall },
  'call.voicemail': {
    answered_by: z.literal('machine').describe('what answered'),
    message_left: z.boolean().describe('the message for voicemail was said'),
  },
  'call.rescheduled': {
    call_id: text('the call back; empty when none was booked'),
    at: instant('when it is booked for').nullable(),
    source: z.enum(['tool', 'post_call']).describe('the agent in the call, or the check after it'),
    note: text('what the caller wants'),
  },
  'call.transferred': { ...target, reason: text('why, as the agent gave it') },
  'call.transfer_status': {
    status: z.enum(['answered', 'no-answer', 'busy', 'failed', 'canceled']).describe('the outcome'),
    ...target,
    dial_status: text("the carrier's word for it, when not answered").optional(),
  },
  'agent.handoff': {
    agent_id: text('of the agent that goes on'),
    name: text('what the agent before calls it'),
    reason: text('why, as that agent gave it; may be empty'),
  },
  'call.control': {
    action: text('what was ordered: `say`, `instruct`, `set_variables`, `mute`, `press_keys`, `transfer`, …'),
    by: text('who ordered it'),
    by_id: text('of the person or key; empty for the service'),
    mode: text('how a person takes part').optional(),
    interrupt: z.boolean().optional().describe('of `say`'),
    names: z.array(z.string()).optional().describe('variables of `set_variables`'),
    side: z.enum(['agent', 'caller']).optional().describe('of `mute`'),
    muted: z.boolean().optional().describe('of `mute`'),
    max_seconds: integer('of `mute`').optional(),
    digits: text('of `press_keys`').optional(),
    target: text('of `transfer`').optional(),
    number: text('of `transfer`').optional(),
    reason: text('of `transfer`').optional(),
  },
  'call.dtmf': { digits: text('the keys') },
  'user.turn': {
    after_goodbye: z.boolean().optional().describe('said after the agent decided to hang up'),
    late: z.boolean().optional().describe('the words came after the reply to them'),
  },
  'human_agent.turn': {},
  'agent.reply': {},
  interrupted: { heard: text('what was played of the reply') },
  'user.online_check': {},
  'tool.call': {
    name: text('of the tool'),
    args: z.unknown().optional().describe('as the model gave them; not of `end_call`'),
    url: text('where the request goes; HTTP tools only').optional(),
  },
  'tool.result': {
    name: text('of the tool'),
    status: integer('HTTP status; 0: no answer'),
    result: text('what the model received'),
    variables: z.unknown().optional().describe('that took a value of the answer'),
  },
  'kb.search': {
    query: text('what was searched for'),
    hits: integer('passages that fitted'),
    embed_ms: z.number().describe('for the embedding of the query'),
    search_ms: z.number().describe('for the search'),
    passages: integer('that the model received'),
    top: z
      .array(z.object({ source: text('its title'), score: z.number(), keyword_match: z.boolean() }))
      .describe('the passages'),
    error: text('why it failed, or empty'),
  },
  'fallback.used': {
    component,
    reason: text('why'),
    from: service('what failed'),
    to: service('what took over'),
  },
  'capacity.fallback': {
    component,
    provider: text('that is at its limit'),
    from: service('what is at its limit'),
    to: service('what took over'),
  },
  'capacity.exceeded': { component, provider: text('that is at its limit'), from: service('what is at its limit') },
  error: {
    component: component.optional(),
    provider: provider.optional(),
    kind: text('the kind of failure').optional(),
    reason: text('why').optional(),
    speech_ms: integer('of speech without words').optional(),
    lost_seconds: z.number().optional().describe('of the recording'),
    lost_from: integer('first event that is lost').optional(),
    lost_to: integer('last event that is lost').optional(),
    stream_id: text('of a stream that did not open').optional(),
  },
  'guardrail.violation': {
    incident_id: text('of the incident'),
    rule_id: text('of the rule'),
    rule_name: text('of the rule'),
    severity: text('`violation` or `warning`'),
    quote: text('what broke it'),
    confidence: z.number().describe('0 to 1'),
    action: text('`notice`, `frozen` or `warning`'),
    strike: integer('how many there were'),
  },
} satisfies Partial<Record<EventType | 'ping', z.ZodRawShape>>;

type DeliveredType = keyof typeof EVENT_DATA;

const common = {
  message: text('one line for a person; for events with speech, the words'),
  level: z.enum(['info', 'warning', 'error']).describe('severity'),
  latency_ms: z.number().nullable().describe('for events that measure something'),
};

const nameOf = (type: string) =>
  `${type
    .split(/[._]/)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')}Event`;

const recordOf = (type: DeliveredType) =>
  z
    .object({
      id: text('`evt_` and 32 hex characters; the same for every receiver'),
      type: z.literal(type),
      created_at: instant('when it happened, in UTC; sort by it'),
      workspace_id: text('whose call it is'),
      call_id: text('the call; empty for `ping`'),
      agent_id: text('the agent; empty for `ping`, and where the number has none'),
      data: z.object({ ...common, ...EVENT_DATA[type] }).describe('what happened'),
    })
    .meta({ id: nameOf(type) });

/** For the document: every type of event that is sent to webhooks, and the id of its schema. */
export const webhookEvents = DELIVERED_TYPES.map((type) => {
  recordOf(type as DeliveredType);
  const description = SUBSCRIBABLE.find((each) => each.type === type)?.description ?? 'a test of the endpoint';
  return { type, description, schema: nameOf(type) };
});
