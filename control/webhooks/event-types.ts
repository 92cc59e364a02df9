import type { EventType } from '../../shared/events.ts';

export interface SubscribableType {
  type: EventType;
  description: string;
  /** One of those that `*` stands for, and that agents' and campaigns' addresses get. */
  lifecycle: boolean;
}

const life = (type: EventType, description: string): SubscribableType => ({ type, description, lifecycle: true });
const byName = (type: EventType, description: string): SubscribableType => ({ type, description, lifecycle: false });

/** The types of events that receivers can be told. The others stay on the timeline. */
export const SUBSCRIBABLE: readonly SubscribableType[] = [
  life('call.queued', 'an outbound call joined the queue'),
  life('call.placed', 'the carrier accepted the call'),
  life('call.started', 'the call is connected and the agent is live'),
  life('call.ended', 'the call ended, or never connected'),
  life('call.completed', 'the final record of a connected call, after its analytics'),
  byName('call.voicemail', 'an answering machine was detected'),
  byName('call.rescheduled', 'a call back was booked'),
  byName('call.transferred', 'the agent handed the caller to a person'),
  byName('call.transfer_status', 'what became of a transfer'),
  byName('call.dtmf', 'the caller pressed keys'),
  byName('user.turn', 'the caller finished a turn'),
  byName('agent.reply', 'the agent finished a reply'),
  byName('interrupted', 'the caller talked over the agent'),
  byName('user.online_check', 'the agent asked whether the caller is still there'),
  byName('tool.call', 'the agent called a tool'),
  byName('tool.result', 'a tool answered or failed'),
  byName('kb.search', 'the agent searched its knowledge bases'),
  byName('fallback.used', 'a fallback took over for a provider that failed'),
  byName('capacity.fallback', 'a fallback stood in for a provider at its limit'),
  byName('capacity.exceeded', 'a provider was at its limit and nobody could stand in'),
  byName('error', 'something went wrong'),
  byName('guardrail.violation', 'the guardrail check found a broken rule'),
];

/** What an endpoint subscribes to when it names nothing: the life of a call. */
export const ALL_LIFECYCLE = '*';

export const SUBSCRIPTIONS = [ALL_LIFECYCLE, ...SUBSCRIBABLE.map(({ type }) => type)] as [string, ...string[]];

/** What a delivery can be of. */
export const DELIVERED_TYPES = ['ping', ...SUBSCRIBABLE.map(({ type }) => type)] as [string, ...string[]];

export const LIFECYCLE_TYPES: string[] = SUBSCRIBABLE.flatMap(({ type, lifecycle }) => (lifecycle ? [type] : []));

const TYPES = new Set<string>(SUBSCRIBABLE.map(({ type }) => type));
export const isSubscribable = (type: string): boolean => TYPES.has(type);
