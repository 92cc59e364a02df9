/** Every subject on the bus, named once. */

/** JetStream: what happened on calls, kept until control has it. */
export const EVENTS_STREAM = 'CALL_EVENTS';
export const EVENTS_FILTER = 'antiphon.events.*';
export const eventsOf = (callId: string) => `antiphon.events.${callId}`;

/** Request and reply, never stored. */
export const OPEN_SESSION = 'antiphon.session.open';
export const ordersTo = (callId: string) => `antiphon.orders.${callId}`;

/** Core NATS, losing one costs nothing. */
export const HEARTBEAT = 'antiphon.heartbeat';
