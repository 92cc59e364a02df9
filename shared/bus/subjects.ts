/** Every subject on the bus; `permissions.ts` has who may use which. */

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
export const OPEN_HANDOFF = 'antiphon.handoff.open';

/**
 * What control sends to the engine of a call. The id of an engine with a user of its own begins with that user's name, so that the bus
 * lets nobody else subscribe (`permissions.ts`).
 */
const toEngine = (engineId: string, kind: string, callId: string) =>
  hasUser(engineId) ? `antiphon.engines.${engineId}.${kind}.${callId}` : `antiphon.${kind}.${callId}`;
export const transferOutcomesOf = (engineId: string, callId: string) => toEngine(engineId, 'transfer.outcome', callId);
export const recordingOrdersTo = (engineId: string, callId: string) => toEngine(engineId, 'recording', callId);
export const liveOrdersTo = (engineId: string, callId: string) => toEngine(engineId, 'live', callId);
export const commandsTo = (engineId: string, callId: string) => toEngine(engineId, 'commands', callId);

/** The calls of agent tests; their events are published once and not stored. */
export const START_TEST_CALL = 'antiphon.test-call.start';
export const testTurnsOf = (engineId: string, callId: string) => toEngine(engineId, 'test-call.turn', callId);
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

/** The queues of which one process takes each request. */
export const CONTROL_QUEUE = 'control';
export const MEDIA_QUEUE = 'media';

/** An engine's id: of one process, and of its user on the bus where engines have users of their own. */
export const engineIdOf = (busUser: string, processId: string) =>
  busUser === '' ? processId : `${busUser}.${processId}`;
export const hasUser = (engineId: string) => engineId.includes('.');

/** Where the answers to a user's requests arrive. */
export const inboxOf = (busUser: string) => `_INBOX_${busUser}`;
