import type { Call } from '../generated/api.ts';

/** An example of the body of each event. Ids, numbers and words are made up. */

const CALL_ID = '0198a4c1f2e07b6d9c3e5a1f7b2d4c68';
const AGENT_ID = '0198a4b07d1e7a52b4f08c6e2a9d1357';
const WORKSPACE_ID = '0198a49fe3c27d04a1b95f8e6c7d2b10';
const OTHER_CALL_ID = '0198a4d5b6a17c3e8f2d4b9a1e6c5d70';
const INCIDENT_ID = '0198a4c3d9f07e81a6b25c4d8e9f1a32';

type Level = 'info' | 'warning' | 'error';

interface Example {
  message: string;
  level?: Level;
  latency_ms?: number;
  data?: Record<string, unknown>;
}

const at = (time: string) => `2026-11-23T09:${time}+00:00`;

/** Where in the recording a line is, only the API says. */
type EventCall = Omit<Call, 'transcript'> & { transcript: Omit<Call['transcript'][number], 'offset_ms'>[] };

const COMPLETED_CALL: EventCall & { transcript_text: string } = {
  id: CALL_ID,
  agent_id: AGENT_ID,
  agent_name: 'Maya',
  agent_version: 4,
  batch_id: null,
  direction: 'outbound',
  channel: 'phone',
  status: 'completed',
  from_number: '+918044440000',
  to_number: '+919811112222',
  user_data: { customer: 'Asha' },
  queue_position: null,
  started_by: 'Website',
  provider: 'twilio',
  created_at: at('12:02.310'),
  not_before_at: null,
  placed_at: at('12:03.004'),
  started_at: at('12:11.870'),
  ended_at: at('12:44.120'),
  completed_at: at('12:47.905'),
  duration_seconds: 33,
  hangup_by: 'caller',
  hangup_reason: 'caller hung up',
  answered_by: 'human',
  summary: 'Asha booked a table for four at eight.',
  recorded: true,
  avg_first_audio_ms: 640,
  transfer: null,
  rescheduled_from: null,
  rescheduled_to: null,
  cost_paise: 275,
  plan_seconds_covered: 0,
  analysis_cost_paise: 12,
  currency: 'INR',
  transcript: [
    { role: 'agent', text: 'Hello Asha, this is Maya.', at: at('12:12.100'), interrupted: false },
    { role: 'user', text: 'A table for four at eight, please.', at: at('12:15.480'), interrupted: false },
  ],
  extracted: { guests: 4 },
  usage: { stt_seconds: 31, tts_characters: 212, llm_input_tokens: 2940, llm_output_tokens: 96, llm_calls: 3 },
  cost_breakdown: { total_paise: 275, duration_seconds: 33, channel: 'phone' },
  transcript_text: 'agent: Hello Asha, this is Maya.\nuser: A table for four at eight, please.',
};

const VOICE = { provider: 'first-voice', model: 'voice-2', voice_id: 'v1', voice_name: 'Leela', language: 'en-IN' };
const OTHER_VOICE = { provider: 'other-voice', model: 'clear', voice_id: 'n7', voice_name: 'Nisha', language: 'en-IN' };

const EXAMPLES: Record<string, Example> = {
  'call.queued': { message: 'queued at position 1', data: { position: 1, by: 'Website' } },
  'call.placed': { message: 'the carrier accepted the call', data: { provider: 'twilio' } },
  'call.started': {
    message: 'outbound call on twilio',
    data: {
      channel: 'phone',
      from: '+918044440000',
      to: '+919811112222',
      stt: 'first-speech/general',
      llm: 'first-model/small',
      tts: 'first-voice/voice-2',
      values: ['customer'],
    },
  },
  'call.ended': {
    message: 'caller hung up',
    data: { duration_seconds: 33, avg_first_audio_ms: 640, usage: COMPLETED_CALL.usage },
  },
  'call.completed': { message: 'the call is completed', data: { call: COMPLETED_CALL } },
  'call.voicemail': {
    message: 'an answering machine answered',
    data: { answered_by: 'machine', message_left: true },
  },
  'call.rescheduled': {
    message: `a call back is booked for ${at('30:00.000')}`,
    data: { call_id: OTHER_CALL_ID, at: at('30:00.000'), source: 'tool', note: 'after the meeting' },
  },
  'call.transferred': {
    message: 'handing the caller over to Front office',
    data: { name: 'Front office', number: '+918044440009', reason: 'wants to speak to a person' },
  },
  'call.transfer_status': {
    message: 'transfer to Front office: no-answer',
    level: 'warning',
    data: { status: 'no-answer', name: 'Front office', number: '+918044440009', dial_status: 'no-answer' },
  },
  'agent.handoff': {
    message: 'Billing goes on',
    data: { agent_id: OTHER_CALL_ID, name: 'Billing', reason: 'asks about a bill' },
  },
  'call.control': {
    message: 'caller muted',
    data: { action: 'mute', side: 'caller', muted: true, max_seconds: 300, by: 'user', by_id: OTHER_CALL_ID },
  },
  'call.dtmf': { message: 'pressed 42', data: { digits: '42' } },
  'human_agent.turn': { message: 'I can give you the table by the window.' },
  'user.turn': { message: 'A table for four at eight, please.' },
  'agent.reply': { message: 'A table for four at eight. Shall I book it?' },
  interrupted: { message: 'caller talked over the agent', data: { heard: 'A table for four' } },
  'user.online_check': { message: 'Are you still there?' },
  'tool.call': {
    message: 'book_table',
    data: { name: 'book_table', args: { guests: 4, time: '20:00' }, url: 'https://example.com/tables' },
  },
  'tool.result': {
    message: 'book_table answered',
    latency_ms: 412,
    data: { name: 'book_table', status: 200, result: '{"booked":true}' },
  },
  'kb.search': {
    message: 'found 2 passages',
    latency_ms: 38,
    data: {
      query: 'do you have parking',
      hits: 2,
      embed_ms: 11,
      search_ms: 9,
      passages: 2,
      top: [{ source: 'House rules.pdf', score: 0.82, keyword: true }],
    },
  },
  'fallback.used': {
    message: 'first-voice failed: other-voice took over',
    level: 'warning',
    data: { component: 'tts', reason: 'no answer in time', from: VOICE, to: OTHER_VOICE },
  },
  'capacity.fallback': {
    message: 'first-voice is at its limit: other-voice',
    level: 'warning',
    data: { component: 'tts', provider: 'first-voice', from: VOICE, to: OTHER_VOICE },
  },
  'capacity.exceeded': {
    message: 'first-voice is at its limit',
    level: 'warning',
    data: { component: 'tts', provider: 'first-voice', from: VOICE },
  },
  error: {
    message: 'voice lost, connecting again: the connection broke',
    level: 'warning',
    data: { component: 'voice', provider: 'first-voice', kind: 'connection' },
  },
  'guardrail.violation': {
    message: 'the agent broke the rule "No medical advice"',
    level: 'error',
    data: {
      incident_id: INCIDENT_ID,
      rule_id: 'medical',
      rule_name: 'No medical advice',
      severity: 'violation',
      quote: 'You could take two of these.',
      confidence: 0.93,
      action: 'notice',
      strike: 1,
    },
  },
  ping: { message: 'a test of this endpoint' },
};

/** Returns the body as it is sent, in the order of its fields; null for an event that this version of the page does not know. */
export function exampleOf(type: string): Record<string, unknown> | null {
  const example = Object.hasOwn(EXAMPLES, type) ? EXAMPLES[type]! : null;
  if (!example) return null;
  const isPing = type === 'ping';
  const { message, level = 'info', latency_ms = null, data = {} } = example;
  return {
    id: `evt_${isPing ? '0'.repeat(32) : '0198a4c25e7d7f10b3a96d8c4e2f5a71'}`,
    type,
    created_at: at('12:44.120'),
    workspace_id: WORKSPACE_ID,
    call_id: isPing ? '' : CALL_ID,
    agent_id: isPing ? '' : AGENT_ID,
    data: { message, level, latency_ms, ...data },
  };
}
