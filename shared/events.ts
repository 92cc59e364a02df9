/**
 * The events of a call's timeline, which are also delivered to webhooks. Names and `data` fields are those of the
 * specification's table "All events".
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
  'human_agent.turn',
  'interrupted',
  'tool.call',
  'tool.result',
  'tool.limit',
  'llm.context',
  'kb.search',
  'kb.inline',
  'user.online_check',
  'hangup.prompt',
  'fallback.used',
  'capacity.fallback',
  'capacity.exceeded',
  'network.stall',
  'call.dtmf',
  'call.voicemail',
  'call.control',
  'error',
  'call.rescheduled',
  'call.transferred',
  'call.transfer_status',
  'language.changed',
  'agent.handoff',
  'recording.notice',
  'recording.paused',
  'recording.resumed',
  'guardrail.violation',
  'call.ended',
  'call.completed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface TimelineEvent {
  type: EventType;
  level: EventLevel;
  /** One line for people; for events with speech, the words. */
  message: string;
  /** Null for events without a latency. */
  latency_ms: number | null;
  data: Record<string, unknown>;
}
