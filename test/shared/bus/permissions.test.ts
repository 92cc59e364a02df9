import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { describe, expect, test } from 'vitest';
import { accessOptions } from '../../../shared/bus/access.ts';
import { connectBus } from '../../../shared/bus/bus.ts';
import { type BusUserSettings, writeBusKeys } from '../../../shared/bus/bus-keys.ts';
import type { CallEvent, Session } from '../../../shared/bus/messages.ts';
import * as subjects from '../../../shared/bus/subjects.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { startTestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';

/** A guest in the network of the bus, and programs that use it as something else than they are, at a real server. */

const folder = mkdtempSync(join(tmpdir(), 'antiphon-bus-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));
const files = writeBusKeys({ folder, engines: ['a', 'b'], storeDir: join(folder, 'streams') });
const elsewhere = writeBusKeys({ folder: join(folder, 'elsewhere'), engines: ['a'], storeDir: '' });
const nats = await startTestNats({ config: files.serverConfig });
const [ENGINE_A, ENGINE_B] = ['a.1', 'b.1'];
const [engineFiles, otherFiles] = files.engines as [BusUserSettings, BusUserSettings];
const log = createLogger('test', 'silent');
const WITHIN_MS = 60_000;

const busOf = async ({ NATS_NAME: busUser, NATS_CREDENTIALS: credentialsFile }: BusUserSettings, engineId?: string) => {
  const bus = await connectBus({
    ...{ url: nats.url, access: { credentialsFile }, name: busUser, busUser, log, streamTimeoutMs: WITHIN_MS },
    ...(engineId === undefined ? {} : { engineId }),
  });
  afterFile(() => bus.close());
  return bus;
};
const control = await busOf(files.control);
await control.prepare();
const engine = await busOf(engineFiles, ENGINE_A);
const other = await busOf(otherFiles, ENGINE_B);
await engine.prepare();

/** A connection of this user, and what the server has refused it. */
async function connectionOf({ NATS_NAME, NATS_CREDENTIALS }: BusUserSettings) {
  const connection = await connect({
    ...accessOptions(nats.url, { credentialsFile: NATS_CREDENTIALS }),
    inboxPrefix: subjects.inboxOf(NATS_NAME),
  });
  afterFile(() => connection.close());
  return connection;
}

/** Whether the server allows it: its refusal comes before its answer to the next ping. */
async function isAllowed(connection: NatsConnection, kind: 'publish' | 'subscribe', subject: string, queue?: string) {
  if (kind === 'subscribe') {
    let refused = false;
    const subscription = connection.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error) => {
        refused ||= error !== null;
      },
    });
    await connection.flush();
    subscription.unsubscribe();
    return !refused;
  }
  const statuses = connection.status()[Symbol.asyncIterator]();
  const refusal = statuses.next().then(() => false);
  connection.publish(subject, 'x', { reply: 'nobody' });
  return Promise.race([
    refusal,
    connection
      .flush()
      .then(() => connection.flush())
      .then(() => true),
  ]);
}

const CALL = '0199aaaa-0000-7000-8000-000000000000';

/** Each subject with who may publish and who may subscribe: `a`, the engine that it is for, `b`, another engine, and control. */
const EXPECTED: Record<string, { subjects: string[]; publish: string; subscribe: string }> = {
  EVENTS_FILTER: { subjects: ['antiphon.events.*'], publish: '', subscribe: '' },
  eventsOf: { subjects: [subjects.eventsOf(CALL)], publish: 'a b', subscribe: '' },
  OPEN_SESSION: { subjects: [subjects.OPEN_SESSION], publish: 'a b', subscribe: 'control queue' },
  SEARCH_KNOWLEDGE: { subjects: [subjects.SEARCH_KNOWLEDGE], publish: 'a b', subscribe: 'control queue' },
  FETCH_AMBIENT_SOUND: { subjects: [subjects.FETCH_AMBIENT_SOUND], publish: 'a b', subscribe: 'control queue' },
  START_TRANSFER: { subjects: [subjects.START_TRANSFER], publish: 'a b', subscribe: 'control queue' },
  BOOK_CALLBACK: { subjects: [subjects.BOOK_CALLBACK], publish: 'a b', subscribe: 'control queue' },
  OPEN_HANDOFF: { subjects: [subjects.OPEN_HANDOFF], publish: 'a b', subscribe: 'control queue' },
  transferOutcomesOf: toOneEngine(subjects.transferOutcomesOf),
  commandsTo: toOneEngine(subjects.commandsTo),
  recordingOrdersTo: toOneEngine(subjects.recordingOrdersTo),
  liveOrdersTo: toOneEngine(subjects.liveOrdersTo),
  START_TEST_CALL: { subjects: [subjects.START_TEST_CALL], publish: 'control', subscribe: 'a b queue' },
  testTurnsOf: toOneEngine(subjects.testTurnsOf),
  testEventsOf: { subjects: [subjects.testEventsOf(CALL)], publish: 'a b', subscribe: 'control' },
  PERMITS_FILTER: { subjects: ['antiphon.permits.*.*'], publish: '', subscribe: '' },
  permitsOf: { subjects: [subjects.permitsOf('deepgram')], publish: '', subscribe: '' },
  permitOf: { subjects: [subjects.permitOf('deepgram', 0)], publish: 'a b', subscribe: '' },
  PROVIDER_FULL: { subjects: [subjects.PROVIDER_FULL], publish: 'a b', subscribe: 'a b' },
  HEARTBEAT: { subjects: [subjects.HEARTBEAT], publish: 'a b', subscribe: 'control' },
  WAKE_UP: { subjects: [subjects.WAKE_UP], publish: 'control', subscribe: 'control' },
  inboxOf: { subjects: [`${subjects.inboxOf('a')}.x`, `${subjects.inboxOf('a')}.>`], publish: '', subscribe: 'a' },
};
/** What the module has besides subjects. */
const NO_SUBJECTS = ['EVENTS_STREAM', 'PERMITS_STREAM', 'CONTROL_QUEUE', 'MEDIA_QUEUE', 'engineIdOf', 'hasUser'];

function toOneEngine(subjectOf: (engineId: string, callId: string) => string) {
  return { subjects: [subjectOf(ENGINE_A, CALL), subjectOf('a.*', '*')], publish: 'control', subscribe: 'a' };
}

describe('the users of the bus', async () => {
  const users = {
    a: await connectionOf(engineFiles),
    b: await connectionOf(otherFiles),
    control: await connectionOf(files.control),
  };
  type User = keyof typeof users;
  const may = async (kind: 'publish' | 'subscribe', subject: string, queue?: string) => {
    const allowed: string[] = [];
    for (const name of Object.keys(users) as User[]) {
      if (await isAllowed(users[name], kind, subject, queue)) allowed.push(name);
    }
    return allowed.join(' ');
  };

  test('every subject has a rule here', () => {
    expect(Object.keys(subjects).toSorted()).toEqual([...Object.keys(EXPECTED), ...NO_SUBJECTS].toSorted());
  });

  test.each(Object.entries(EXPECTED))('%s is published and received by those whom it concerns', async (_name, rule) => {
    const inQueue = rule.subscribe.endsWith(' queue');
    const receivers = rule.subscribe.replace(' queue', '');
    const queue = receivers === 'control' ? subjects.CONTROL_QUEUE : subjects.MEDIA_QUEUE;
    for (const subject of rule.subjects) {
      if (!subject.includes('*') && !subject.includes('>')) expect(await may('publish', subject)).toBe(rule.publish);
      expect(await may('subscribe', subject)).toBe(inQueue ? '' : receivers);
      if (inQueue) expect(await may('subscribe', subject, queue)).toBe(receivers);
    }
  });

  test.each([
    '>',
    'antiphon.>',
    '*.*.*',
    'antiphon.engines.>',
    'antiphon.commands.*',
    '_INBOX.>',
    '*.>',
    '$JS.>',
    '$SYS.>',
    '$JS.EVENT.>',
  ])('nobody subscribes to %s', async (subject) => {
    expect(await may('subscribe', subject)).toBe('');
  });

  const API = 'STREAM.MSG.GET DIRECT.GET STREAM.INFO STREAM.UPDATE STREAM.CREATE STREAM.PURGE STREAM.DELETE';
  const MORE = 'STREAM.SNAPSHOT STREAM.RESTORE STREAM.MSG.DELETE CONSUMER.CREATE CONSUMER.NAMES CONSUMER.LIST';
  const requests = [
    ...`${API} ${MORE}`.split(' ').map((verb) => `$JS.API.${verb}.${subjects.EVENTS_STREAM}`),
    ...['CREATE', 'DURABLE.CREATE', 'INFO', 'DELETE', 'MSG.NEXT'].map(
      (verb) => `$JS.API.CONSUMER.${verb}.${subjects.EVENTS_STREAM}.control`,
    ),
    '$JS.API.STREAM.CREATE.MINE',
    '$JS.API.STREAM.NAMES',
    '$JS.API.STREAM.LIST',
    `$JS.ACK.${subjects.EVENTS_STREAM}.control.1.1.1.1.1`,
    `$JS.API.STREAM.MSG.GET.${subjects.PERMITS_STREAM}`,
    `$JS.API.STREAM.DELETE.${subjects.PERMITS_STREAM}`,
    `${subjects.inboxOf('control')}.x`,
  ];
  test.each(requests)('no engine publishes to %s', async (subject) => {
    expect(await isAllowed(users.a, 'publish', subject)).toBe(false);
  });

  test('without credentials, or with those of another bus, nobody connects', async () => {
    const attempts = [{}, { user: 'control', password: 'control' }, { token: 'control' }];
    const strangers = [elsewhere.control, elsewhere.engines[0]!].map(({ NATS_CREDENTIALS }) => ({
      credentialsFile: NATS_CREDENTIALS,
    }));
    for (const access of [...attempts, ...strangers]) {
      await expect(connect({ ...accessOptions(nats.url, access), reconnect: false })).rejects.toThrow(/authorization/i);
    }
  });
});

const SESSION: Session = {
  ...{ call_id: CALL, workspace_id: 'w', agent_id: 'a', direction: 'inbound', channel: 'phone' },
  ...{ from_number: '', to_number: '', agent_json: '{}', user_data_json: '{}', max_duration_seconds: 1 },
  llm_fallbacks: [],
};
const EVENT: CallEvent = {
  ...{ call_id: CALL, seq: 1, engine_id: ENGINE_A, at_ms: 1, type: 'error', level: 'info', message: '' },
  ...{ data_json: '{}', transcript: [] },
};
describe('a call with users', () => {
  test('opens its session, is commanded by control, asks it, and its events arrive in order', async () => {
    control.serveSessions(async () => ({ refused: '', session: SESSION }));
    control.serveKnowledge(async () => ({ error: '', passages: [], hits: 3, embed_ms: 0, search_ms: 0 }));
    control.serveTransfers(async () => ({ accepted: true, message: 'yes' }));
    control.serveCallbacks(async () => ({ booked: true, message: 'yes' }));
    control.serveAmbientSounds(async () => ({ found: false, total_bytes: 0, chunk: new Uint8Array() }));
    // Answered after the server has these subscriptions.
    await control.permits.held('none');
    const open = { call_id: CALL, nonce: 'n', engine_id: ENGINE_A, carrier: 'twilio', provider_call_id: 'p' };
    expect((await engine.openSession(open, WITHIN_MS)).session).toMatchObject({ call_id: CALL });
    const hangUps: string[] = [];
    engine.serveCommands(CALL, ({ hangup_reason }) => {
      hangUps.push(hangup_reason);
      return { done: true, detail: '' };
    });
    engine.serveTransferOutcomes(CALL, () => ({ done: true, detail: '' }));
    engine.serveRecordingOrders(CALL, () => ({ done: true, detail: '' }));
    engine.serveLiveOrders(CALL, () => ({ done: true, detail: '' }));
    await engine.permits.held('none');
    const search = { call_id: CALL, query: 'q', limit: 1, within_ms: 1 };
    expect((await engine.searchKnowledge(search, WITHIN_MS)).hits).toBe(3);
    const transfer = { name: '', number: '', reason: '', warm: true, summary: '', language: '' };
    const started = await engine.startTransfer({ call_id: CALL, transfer_id: 't', ...transfer }, WITHIN_MS);
    expect(started.accepted).toBe(true);
    const outcome = { call_id: CALL, transfer_id: 't', status: 'failed', dial_status: '' } as const;
    expect((await control.sendTransferOutcome(outcome, WITHIN_MS, ENGINE_A)).done).toBe(true);
    expect((await engine.bookCallback({ call_id: CALL, when: '', note: '' }, WITHIN_MS)).booked).toBe(true);
    const part = { workspace_id: 'w', sound_id: 's', offset: 0 };
    expect((await engine.fetchAmbientSound(part, WITHIN_MS)).found).toBe(false);
    const command = { call_id: CALL, hangup_by: 'service', hangup_reason: 'canceled' } as const;
    expect((await control.sendHangUp(command, WITHIN_MS, ENGINE_A)).done).toBe(true);
    expect(hangUps).toEqual(['canceled']);
    expect((await control.sendRecordingOrder({ call_id: CALL, paused: true }, WITHIN_MS, ENGINE_A)).done).toBe(true);
    const live = { call_id: CALL, order_id: 'o', by: 'user', by_id: 'u', order_json: '{}' };
    expect((await control.sendLiveOrder(live, WITHIN_MS, ENGINE_A)).done).toBe(true);

    // What was tried above.
    await control.events.deleteUpTo((await control.events.backlog()).unread);
    for (const seq of [1, 2, 3]) await engine.publishEvent({ ...EVENT, seq });
    expect(await control.lastEventSeq(CALL)).toBe(3);
    expect((await control.events.backlog()).unread).toBe(3);
    const received: number[] = [];
    const consumer = control.consumeEvents('control', 10, async (events) => {
      for (const { event, ack } of events) {
        received.push(event!.seq);
        ack();
      }
    });
    await until(() => received.length === 3, 'the events');
    await consumer.stop();
    expect(received).toEqual([1, 2, 3]);
  });

  test('a command for a call of one engine is not received by another', async () => {
    const command = { call_id: CALL, hangup_by: 'service', hangup_reason: 'canceled' } as const;
    await expect(control.sendHangUp(command, WITHIN_MS, ENGINE_B)).rejects.toThrow();
    const order = { call_id: CALL, paused: true };
    await expect(control.sendRecordingOrder(order, WITHIN_MS, ENGINE_B)).rejects.toThrow();
    const live = { call_id: CALL, order_id: 'o', by: 'user', by_id: 'u', order_json: '{}' };
    await expect(control.sendLiveOrder(live, WITHIN_MS, ENGINE_B)).rejects.toThrow();
  });

  test('heartbeats, wake-ups, permits and full accounts reach those whom they concern', async () => {
    const received: string[] = [];
    control.onHeartbeat(({ engine_id }) => received.push(engine_id));
    control.onWakeUp(({ topic }) => received.push(topic));
    other.permits.onFull((account) => received.push(account));
    await Promise.all([control, other].map((bus) => bus.permits.held('deepgram')));
    engine.sendHeartbeat({ engine_id: ENGINE_A, at_ms: 1, call_ids: [] });
    control.sendWakeUp({ from: 'x', topic: 'mail', keys: [] });
    engine.permits.publishFull('deepgram');
    await until(() => received.length === 3, 'three messages');
    expect(received.toSorted()).toEqual([ENGINE_A, 'deepgram', 'mail']);

    const version = await engine.permits.acquire('deepgram', 0);
    expect(await other.permits.acquire('deepgram', 0)).toBeNull();
    expect(await other.permits.held('deepgram')).toEqual([0]);
    const renewed = await engine.permits.renew('deepgram', 0, version!);
    await engine.permits.release('deepgram', 0, renewed!);
    expect(await other.permits.acquire('deepgram', 0)).toEqual(expect.any(Number));
  });

  test("a test's call stays at the engine that started its caller", async () => {
    const callId = 't';
    for (const bus of [engine, other]) {
      bus.testCalls.serveStarts(() => ({ done: true, detail: '' }));
      bus.testCalls.serveTurns(callId, async () => ({ done: true, over: bus === engine, failed: '' }));
    }
    await Promise.all([engine, other].map((bus) => bus.permits.held('none')));
    const events: number[] = [];
    control.testCalls.onEvents(callId, ({ seq }) => events.push(seq));
    const start = { session: { ...SESSION, call_id: callId }, language: '', background_noise: '' };
    const { engine_id } = await control.testCalls.start(start, WITHIN_MS);
    const turn = { call_id: callId, turn: 0, text: '', interruption: '', hangs_up: false };
    const { over } = await control.testCalls.sendTurn(turn, WITHIN_MS, engine_id!);
    expect(engine_id).toBe(over ? ENGINE_A : ENGINE_B);
    await engine.testCalls.publishEvent({ ...EVENT, call_id: callId, seq: 7 });
    await until(() => events.length === 1, 'the event');
    expect(events).toEqual([7]);
  });
});
