/**
 * Every event of a call's timeline: its name, its level, who writes it. The same events go to webhooks.
 * `data` fields are those of the specification's table "All events".
 */
export type EventLevel = 'info' | 'warning' | 'error';

export const EVENT_TYPES = [
  'call.queued',
  'call.dequeued',
  'call.placed',
  'call.started',
  'welcome',
  'tts.first_audio',
  'user.turn',
  'llm.first_token',
  'agent.reply',
  'interrupted',
  'tool.call',
  'tool.result',
  'kb.search',
  'kb.inline',
  'user.online_check',
  'hangup.prompt',
  'fallback.used',
  'capacity.fallback',
  'capacity.exceeded',
  'call.dtmf',
  'call.voicemail',
  'error',
  'call.rescheduled',
  'call.transferred',
  'call.transfer_status',
  'guardrail.violation',
  'call.ended',
  'call.completed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface TimelineEvent {
  type: EventType;
  level: EventLevel;
  /** One line for a person; what was said, for the events that carry speech. */
  message: string;
  /** For timing events; otherwise null. */
  latency_ms: number | null;
  data: Record<string, unknown>;
}
