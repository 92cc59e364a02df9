/** Every subject on the bus, named once. */

/** JetStream: what happened on calls, kept until control has it. */
export const EVENTS_STREAM = 'CALL_EVENTS';
export const EVENTS_FILTER = 'antiphon.events.*';
export const eventsOf = (callId: string) => `antiphon.events.${callId}`;

/** Request and reply, never stored. */
export const OPEN_SESSION = 'antiphon.session.open';
export const SEARCH_KNOWLEDGE = 'antiphon.knowledge.search';
export const FETCH_AMBIENT_SOUND = 'antiphon.sound.fetch';
export const START_TRANSFER = 'antiphon.transfer.start';
export const BOOK_CALL_BACK = 'antiphon.call-back.book';
export const transferOutcomesOf = (callId: string) => `antiphon.transfer.outcome.${callId}`;
export const commandsTo = (callId: string) => `antiphon.orders.${callId}`;

/** JetStream, in memory: who holds which place of a provider's account. */
export const PERMITS_STREAM = 'PROVIDER_PLACES';
export const PERMITS_FILTER = 'antiphon.places.*.*';
/** `account` has letters, digits, `-` and `_` only. */
export const permitOf = (account: string, place: number) => `antiphon.places.${account}.${place}`;

/** Core NATS, losing one costs nothing. */
export const PROVIDER_FULL = 'antiphon.provider.full';
export const HEARTBEAT = 'antiphon.heartbeat';
