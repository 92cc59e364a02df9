import type { EventType } from '../../shared/events.ts';

export interface SubscribableType {
  type: EventType;
  description: string;
  /** One of those that `*` stands for, and that the URLs of agents and campaigns get. */
  lifecycle: boolean;
}

/** Every type of event: how webhooks get it, and when it is sent. Null: on the timeline only. */
const EVENTS: Record<EventType, ['lifecycle' | 'by name', description: string] | null> = {
  'call.queued': ['lifecycle', 'an outbound call joined the queue'],
  'call.placed': ['lifecycle', 'the carrier accepted the call'],
  'call.started': ['lifecycle', 'the call is connected and the agent is live'],
  'call.ended': ['lifecycle', 'the call ended, or never connected'],
  'call.completed': ['lifecycle', 'the final record of a connected call, after its analytics and transfers'],
  'call.voicemail': ['by name', 'an answering machine was detected'],
  'call.rescheduled': ['by name', 'a call back was booked'],
  'call.transferred': ['by name', 'the agent transferred the caller'],
  'call.transfer_status': ['by name', 'the outcome of a transfer'],
  'agent.handoff': ['by name', 'another agent went on with the call'],
  'call.control': ['by name', 'a person or program controlled the live call'],
  'call.dtmf': ['by name', 'the caller pressed keys'],
  'user.turn': ['by name', 'the caller finished a turn'],
  'human_agent.turn': ['by name', 'a person who speaks to the caller finished a turn'],
  'agent.reply': ['by name', 'the agent finished a reply'],
  interrupted: ['by name', 'the caller talked over the agent'],
  'user.online_check': ['by name', 'the agent asked whether the caller is still there'],
  'tool.call': ['by name', 'the agent called a tool'],
  'tool.result': ['by name', 'a tool returned a result or failed'],
  'kb.search': ['by name', 'the agent searched its knowledge bases'],
  'fallback.used': ['by name', 'a fallback took over for a provider that failed'],
  'capacity.fallback': ['by name', 'a fallback took over for a provider at its limit'],
  'capacity.exceeded': ['by name', 'a provider was at its limit and there was no fallback'],
  error: ['by name', 'something went wrong'],
  'guardrail.violation': ['by name', 'the guardrail check found a violated rule'],
  'call.dequeued': null,
  welcome: null,
  'tts.first_audio': null,
  'llm.first_token': null,
  'kb.inline': null,
  'hangup.prompt': null,
  'tool.limit': null,
  'llm.context': null,
  'network.stall': null,
  'language.changed': null,
  'recording.notice': null,
  'recording.paused': null,
  'recording.resumed': null,
};

/** The event types that are delivered to webhooks. */
export const SUBSCRIBABLE: readonly SubscribableType[] = Object.entries(EVENTS).flatMap(([type, event]) =>
  event ? [{ type: type as EventType, description: event[1], lifecycle: event[0] === 'lifecycle' }] : [],
);

/** The default subscription of an endpoint: the lifecycle events. */
export const ALL_LIFECYCLE = '*';

const TYPES = SUBSCRIBABLE.map(({ type }) => type);
export const SUBSCRIPTIONS: [string, ...string[]] = [ALL_LIFECYCLE, ...TYPES];
/** The event types of deliveries. */
export const DELIVERED_TYPES: [string, ...string[]] = ['ping', ...TYPES];

export const LIFECYCLE_TYPES: EventType[] = SUBSCRIBABLE.flatMap(({ type, lifecycle }) => (lifecycle ? [type] : []));

export const isSubscribable = (type: EventType): boolean => TYPES.includes(type);
