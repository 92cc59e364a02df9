import { createAgentSaver } from '../../../control/agents/save-agent.ts';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { openSession } from '../../../control/calls/engines/sessions.ts';
import { dequeueNext } from '../../../control/calls/queue/call-queue.ts';
import { placeCall } from '../../../control/calls/queue/place-call.ts';
import { eventsOfCall } from '../../../control/calls/store.ts';
import type { CarrierCallback } from '../../../control/carriers/callback.ts';
import type { Carrier } from '../../../control/carriers/carrier.ts';
import type { DialOutcome } from '../../../control/carriers/dial.ts';
import { createTwilio } from '../../../control/carriers/twilio.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { type AgentInput, agentConfigSchema } from '../../../shared/agent.ts';
import type { DeliveredEvent } from '../../../shared/bus/event-consumer.ts';
import type {
  CallEvent,
  CommandReply,
  HangUpCommand,
  Heartbeat,
  LiveOrderRequest,
  RecordingOrder,
} from '../../../shared/bus/messages.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { giveWallet, PLENTY_PAISE } from '../../support/credits.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { toolHeaders } from '../../support/tool-headers.ts';

const TESTER = { kind: 'user', id: 'tester', name: 'tests' } as const;
const KEY_ONE = { kind: 'api_key', id: 'key1', name: 'key one' } as const;

export const log = createLogger('test', 'silent');

/** Real timers; the time of day can be moved. */
export interface ShiftedClock extends Clock {
  shift(ms: number): void;
}

export function createShiftedClock(timeOfDay = Date.now): ShiftedClock {
  let shifted = 0;
  return {
    ...systemClock,
    wall: () => timeOfDay() + shifted,
    shift(ms) {
      shifted += ms;
    },
  };
}

/** The same, but the time of day stands still until it is moved. */
export function createStandingClock(): ShiftedClock {
  const startedMs = Date.now();
  return createShiftedClock(() => startedMs);
}

/** A bus with engines that the test controls. */
export function createTestBus() {
  const commands: HangUpCommand[] = [];
  const recordingOrders: RecordingOrder[] = [];
  const liveOrders: LiveOrderRequest[] = [];
  const listeners: ((heartbeat: Heartbeat) => void)[] = [];
  const bus = {
    commands,
    recordingOrders,
    liveOrders,
    online: true,
    reply: null as CommandReply | null,
    /** Number of the last event stored on the bus. */
    stored: 0,
    connected: () => bus.online,
    /** Since the bus was away. */
    reachableMs: Number.POSITIVE_INFINITY,
    reachableForMs: () => bus.reachableMs,
    lastEventSeq: async () => bus.stored,
    async sendHangUp(command: HangUpCommand): Promise<CommandReply> {
      commands.push(command);
      if (!bus.reply) throw new Error('no engine holds the call');
      return bus.reply;
    },
    async sendRecordingOrder(order: RecordingOrder): Promise<CommandReply> {
      recordingOrders.push(order);
      if (!bus.reply) throw new Error('no engine holds the call');
      return bus.reply;
    },
    async sendLiveOrder(order: LiveOrderRequest): Promise<CommandReply> {
      liveOrders.push(order);
      if (!bus.reply) throw new Error('no engine holds the call');
      return bus.reply;
    },
    onHeartbeat(listener: (heartbeat: Heartbeat) => void) {
      listeners.push(listener);
    },
    heartbeat(call_ids: string[], more: Partial<Heartbeat> = {}) {
      for (const listener of listeners) listener({ engine_id: 'engine-1', at_ms: Date.now(), call_ids, ...more });
    },
  };
  return bus;
}

/** A carrier without a network. */
export function createTestCarrier(outcome: () => Promise<DialOutcome> = accepts) {
  const dialled: string[] = [];
  const hungUp: string[] = [];
  const carrier: Carrier = {
    ...createTwilio({ account_sid: 'AC1', auth_token: 'tw', api_url: 'http://127.0.0.1:1' }),
    async dial(request) {
      dialled.push(request.to_number);
      return outcome();
    },
    async hangUp({ provider_call_id, provider_request_id }) {
      hungUp.push(provider_call_id || provider_request_id);
      return 'done';
    },
  };
  return { carrier, carriers: new Map([['twilio', carrier] as const]), dialled, hungUp };
}

let carrierCalls = 0;
export const accepts = async (): Promise<DialOutcome> => ({
  accepted: true,
  provider_call_id: `CA${++carrierCalls}`,
  provider_request_id: '',
});

export interface Tenant {
  workspace_id: string;
  agent_id: string;
  number: string;
}

/** A database for one test file, with the rows that calls need. Call it in `beforeAll`. */
export async function createCallFixture(given?: { url: string }, clock: ShiftedClock = createShiftedClock()) {
  const database = given ?? (await createTestDatabase());
  const sql: Sql = connectDatabase({ url: database.url, max: 8 });
  afterFile(() => sql.end({ timeout: 5 }));
  let numbers = 0;

  const fixture = {
    url: database.url,
    sql,
    clock,

    async tenant(
      concurrency_limit = 5,
      agent: Partial<AgentInput> = {},
      credits_paise = PLENTY_PAISE,
    ): Promise<Tenant> {
      const workspace_id = newId();
      const created_at = new Date();
      const row = { id: workspace_id, name: 'Acme', state: 'active', concurrency_limit, created_at };
      await sql`insert into workspaces ${sql(row)}`;
      await giveWallet(sql, workspace_id, credits_paise);
      const agent_id = await fixture.agent(workspace_id, agent);
      const number = await fixture.number(workspace_id, agent_id);
      return { workspace_id, agent_id, number };
    },

    async agent(workspace_id: string, agent: Partial<AgentInput> = {}): Promise<string> {
      const saver = createAgentSaver({ sql, clock, toolHeaders, onAgentDeleted: async () => {} });
      const config = agentConfigSchema.parse({ name: 'Asha', ...agent });
      return (await saver.create({ workspace_id, actor: TESTER, config })).id;
    },

    async number(workspace_id: string, agent_id: string | null): Promise<string> {
      const number = `+9111${String(40_000_000 + ++numbers)}`;
      const row = { number, workspace_id, agent_id, provider: 'twilio', created_at: new Date() };
      await sql`insert into numbers ${sql(row)}`;
      return number;
    },

    queue({ workspace_id, agent_id }: Tenant, to_number = '+919811112222'): Promise<CallRow> {
      return placeCall(sql, clock, { workspace_id, agent_id, to_number, user_data: {}, actor: KEY_ONE });
    },

    async ringing(tenant: Tenant, provider_call_id = `CA${newId()}`): Promise<CallRow> {
      await fixture.queue(tenant);
      const call = await sql.begin((tx) => dequeueNext(tx, tenant.workspace_id, clock.wall()));
      const [row] = await sql<CallRow[]>`
        update calls set provider_call_id = ${provider_call_id}, placed_at = now() where id = ${call!.id} returning *`;
      return row!;
    },

    /** A ringing call whose session an engine has opened. */
    async opened(tenant: Tenant): Promise<CallRow> {
      const call = await fixture.ringing(tenant);
      const request = { call_id: call.id, nonce: 'a'.repeat(16), engine_id: 'engine-1' };
      const reply = await openSession(
        { sql, clock, log },
        { ...request, carrier: 'twilio', provider_call_id: call.provider_call_id },
      );
      if (reply.refused !== '') throw new Error(reply.refused);
      return fixture.read(call.id);
    },

    async read(callId: string): Promise<CallRow> {
      const [call] = await sql<CallRow[]>`select * from calls where id = ${callId}`;
      return call!;
    },

    async timeline({ workspace_id, id }: Pick<CallRow, 'workspace_id' | 'id'>) {
      return eventsOfCall(sql, workspace_id, id);
    },

    async types(call: Pick<CallRow, 'workspace_id' | 'id'>): Promise<string[]> {
      return (await fixture.timeline(call)).map(({ type }) => type);
    },
  };
  return fixture;
}

export type CallFixture = Awaited<ReturnType<typeof createCallFixture>>;

export function mediaEvent(call_id: string, seq: number, type: string, more: Partial<CallEvent> = {}): CallEvent {
  return {
    call_id,
    seq,
    engine_id: 'engine-1',
    at_ms: Date.now(),
    type,
    level: 'info',
    message: type,
    data_json: '{}',
    transcript: [],
    ...more,
  };
}

export const usage = {
  stt_seconds: 12.5,
  tts_characters: 80,
  llm_input_tokens: 900,
  llm_output_tokens: 40,
  llm_calls: 2,
};

/** What each provider consumed. */
export const providerUsage = [
  { component: 'transcriber', provider: 'deepgram', model: 'nova-3', stt_seconds: 10 },
  { component: 'transcriber', provider: 'local', model: 'en-us', stt_seconds: 2.5 },
];

/** A short call as reported by an engine. */
export function wholeCall(call_id: string, ending: Partial<CallEvent['ending'] & object> = {}): CallEvent[] {
  const said = (role: 'user' | 'agent', text: string) => ({
    transcript: [{ role, text, at_ms: Date.now(), interrupted: false }],
  });
  return [
    mediaEvent(call_id, 1, 'call.started', { data_json: '{"channel":"phone"}' }),
    mediaEvent(call_id, 2, 'welcome', said('agent', 'Hello')),
    mediaEvent(call_id, 3, 'user.turn', said('user', 'Hi there')),
    mediaEvent(call_id, 4, 'llm.first_token', { latency_ms: 210.4 }),
    mediaEvent(call_id, 5, 'call.ended', {
      data_json: JSON.stringify({ duration_seconds: 12, avg_first_audio_ms: 300, usage }),
      ending: {
        hangup_by: 'caller',
        hangup_reason: 'caller hung up',
        duration_seconds: 11.2,
        avg_first_audio_ms: 300.4,
        recorded: true,
        provider_usage_json: JSON.stringify(providerUsage),
        ...ending,
      },
    }),
  ];
}

export type TestDelivery = DeliveredEvent & { answer: 'done' | 'again' | 'drop' | null };

/** An event as delivered by the bus, which records its acknowledgement. */
export function delivered(event: CallEvent | null, redelivered = false): TestDelivery {
  const delivery: TestDelivery = {
    event,
    raw: Buffer.from('raw'),
    call_id: event?.call_id ?? 'unreadable',
    position: event?.seq ?? 0,
    redelivered,
    answer: null,
    ack: () => {
      delivery.answer = 'done';
    },
    nak: () => {
      delivery.answer = 'again';
    },
    term: () => {
      delivery.answer = 'drop';
    },
  };
  return delivery;
}

export function carrierCallback(more: Partial<CarrierCallback>): CarrierCallback {
  return {
    provider_call_id: '',
    provider_request_id: '',
    from_number: '',
    to_number: '',
    status: null,
    carrier_status: more.status ?? '',
    ...more,
  };
}
