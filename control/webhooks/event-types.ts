import type { EventType } from '../../shared/events.ts';

export interface SubscribableType {
  type: EventType;
  description: string;
  /** One of those that `*` stands for, and that the URLs of agents and campaigns get. */
  lifecycle: boolean;
}

const lifecycleEvent = (type: EventType, description: string): SubscribableType => ({
  type,
  description,
  lifecycle: true,
});
const otherEvent = (type: EventType, description: string): SubscribableType => ({
  type,
  description,
  lifecycle: false,
});

/** The event types that are delivered to webhooks; the others are on the timeline only. */
export const SUBSCRIBABLE: readonly SubscribableType[] = [
  lifecycleEvent('call.queued', 'an outbound call joined the queue'),
  lifecycleEvent('call.placed', 'the carrier accepted the call'),
  lifecycleEvent('call.started', 'the call is connected and the agent is live'),
  lifecycleEvent('call.ended', 'the call ended, or never connected'),
  lifecycleEvent('call.completed', 'the final record of a connected call, after its analytics'),
  otherEvent('call.voicemail', 'an answering machine was detected'),
  otherEvent('call.rescheduled', 'a call back was booked'),
  otherEvent('call.transferred', 'the agent transferred the caller'),
  otherEvent('call.transfer_status', 'the outcome of a transfer'),
  otherEvent('call.dtmf', 'the caller pressed keys'),
  otherEvent('user.turn', 'the caller finished a turn'),
  otherEvent('agent.reply', 'the agent finished a reply'),
  otherEvent('interrupted', 'the caller talked over the agent'),
  otherEvent('user.online_check', 'the agent asked whether the caller is still there'),
  otherEvent('tool.call', 'the agent called a tool'),
  otherEvent('tool.result', 'a tool returned a result or failed'),
  otherEvent('kb.search', 'the agent searched its knowledge bases'),
  otherEvent('fallback.used', 'a fallback took over for a provider that failed'),
  otherEvent('capacity.fallback', 'a fallback took over for a provider at its limit'),
  otherEvent('capacity.exceeded', 'a provider was at its limit and there was no fallback'),
  otherEvent('error', 'something went wrong'),
  otherEvent('guardrail.violation', 'the guardrail check found a broken rule'),
];

/** The default subscription of an endpoint: the lifecycle events. */
export const ALL_LIFECYCLE = '*';

export const SUBSCRIPTIONS = [ALL_LIFECYCLE, ...SUBSCRIBABLE.map(({ type }) => type)] as [string, ...string[]];

/** The event types of deliveries. */
export const DELIVERED_TYPES = ['ping', ...SUBSCRIBABLE.map(({ type }) => type)] as [string, ...string[]];

export const LIFECYCLE_TYPES: string[] = SUBSCRIBABLE.flatMap(({ type, lifecycle }) => (lifecycle ? [type] : []));

const TYPES = new Set<string>(SUBSCRIBABLE.map(({ type }) => type));
export const isSubscribable = (type: string): boolean => TYPES.has(type);
