/** Every subject on the bus. */

/** JetStream: the events of calls, stored until control has read them. */
export const EVENTS_STREAM = 'CALL_EVENTS';
export const EVENTS_FILTER = 'antiphon.events.*';
export const eventsOf = (callId: string) => `antiphon.events.${callId}`;

/** Request and reply, never stored. */
export const OPEN_SESSION = 'antiphon.session.open';
export const SEARCH_KNOWLEDGE = 'antiphon.knowledge.search';
export const FETCH_AMBIENT_SOUND = 'antiphon.ambient-sound.fetch';
export const START_TRANSFER = 'antiphon.transfer.start';
export const BOOK_CALLBACK = 'antiphon.callback.book';
export const transferOutcomesOf = (callId: string) => `antiphon.transfer.outcome.${callId}`;
export const commandsTo = (callId: string) => `antiphon.commands.${callId}`;

/** The calls of agent tests; their events are published once and not stored. */
export const START_TEST_CALL = 'antiphon.test-call.start';
export const testTurnsOf = (callId: string) => `antiphon.test-call.turn.${callId}`;
export const testEventsOf = (callId: string) => `antiphon.test-call.events.${callId}`;

/** JetStream, in memory: which engine holds which concurrency permit of a provider's account. */
export const PERMITS_STREAM = 'PROVIDER_PERMITS';
export const PERMITS_FILTER = 'antiphon.permits.*.*';
/** `account` has letters, digits, `-` and `_` only. */
export const permitsOf = (account: string) => `antiphon.permits.${account}.*`;
export const permitOf = (account: string, permit: number) => `antiphon.permits.${account}.${permit}`;

/** Core NATS, fire and forget: a lost message costs nothing. */
export const PROVIDER_FULL = 'antiphon.provider.full';
export const HEARTBEAT = 'antiphon.heartbeat';
export const WAKE_UP = 'antiphon.wake-up';
