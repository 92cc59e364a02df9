import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, expect, it } from 'vitest';
import { buildApp } from '../../control/app.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { onePool } from '../../control/db/pools.ts';
import { type Bus, connectBus } from '../../shared/bus/bus.ts';
import * as messages from '../../shared/bus/messages.ts';
import * as subjects from '../../shared/bus/subjects.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { type CallFixture, createCallFixture, type Tenant, wholeCall } from '../control/calls/call-fixture.ts';
import { afterFile } from '../support/after-file.ts';
import { startTestNats } from '../support/nats.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/until.ts';
import { createDraws, type Draws } from './draws.ts';
import { bentJson, damaged } from './hostile-json.ts';
import { createTally, messagesOf, SEED, type Tally } from './tally.ts';

/**
 * Both programs' ends of the bus, where anybody with an engine's or control's user could publish: whatever comes, the events of
 * other calls are written and requests answered. SEED, COUNT for each kind. FROM: the first event that is published, to see again
 * what a long run found.
 */

const FROM = Number(process.env.FROM ?? 0);

let fixture: CallFixture;
let tenant: Tenant;
/** Of a workspace of its own: one has 1,000 calls at once at most. */
const openedCall = () =>
  eventually('a call of an engine', 60_000, async () => {
    // Control itself may take it from the queue first.
    return fixture.opened(await fixture.tenant()).catch(() => null);
  });
let connection: NatsConnection;
let engine: Bus;
const logged: { msg: string; error?: string; stack?: string }[] = [];

beforeAll(async () => {
  const database = await createTestDatabase();
  fixture = await createCallFixture(database);
  tenant = await fixture.tenant();
  const nats = await startTestNats();
  // A message that cannot be read is a warning, and so is an event that cannot even be put aside, which is delivered without end.
  const write = (line: string) => {
    const { level, ...entry } = JSON.parse(line);
    if (level >= 50 || /dead-lettering failed/.test(entry.msg)) logged.push(entry);
  };
  const log = createLogger('control', 'warn', { write });
  const control = await connectBus({ url: nats.url, name: 'control', log });
  afterFile(() => control.close());
  await control.prepare();
  engine = await connectBus({ url: nats.url, name: 'engine', log });
  afterFile(() => engine.close());
  connection = await connect({ servers: nats.url });
  afterFile(() => connection.close());
  const sql = connectDatabase({ url: database.url, max: 6 });
  afterFile(() => sql.end({ timeout: 5 }));
  const settings = {
    DATABASE_URL: database.url,
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    RECORDINGS_DIR: '/nowhere',
  };
  const config = readControlConfig(settings);
  const app = await buildApp({ pools: onePool(sql), bus: control, clock: systemClock, log, config });
  app.start();
  afterFile(async () => {
    await app.http.close();
    await app.stop();
  });
});

/** Errors of the database or of the program; a message that cannot be read is an expected one. */
const UNEXPECTED =
  /PostgresError|invalid byte|out of range for|violates|syntax|is not a function|undefined|Cannot read|null|canceling statement/i;
const EXPECTED = /^(index out of range|invalid (wire type|end group)|.*(no such|not valid|unknown|illegal) )/i;

function unexpected(tally: Tally): void {
  for (const { msg, error = '', stack = '' } of logged.splice(0)) {
    if (/events? will be redelivered|could not be/.test(msg) || (UNEXPECTED.test(error) && !EXPECTED.test(error))) {
      tally.found(`${msg}: ${error} ${stack}`);
    }
  }
}

/** A busy server may need some time. */
const PUBLISHED_WITHIN_MS = 60_000;
/** Beyond it the client of the bus sends nothing. */
const MAX_BYTES = 1_000_000;

/** The bytes of a message, some of its fields replaced by others of any value, or not a message at all. */
function anyBytes<Message>(draws: Draws, codec: messages.Codec<Message>, sample: Message): Uint8Array {
  return unlimited(draws, codec, sample).subarray(0, MAX_BYTES);
}

function unlimited<Message>(draws: Draws, codec: messages.Codec<Message>, sample: Message): Uint8Array {
  if (draws.chance(0.2)) return codec.encode(sample);
  if (draws.chance(0.3)) return damaged(draws, codec.encode(sample));
  try {
    const bent = JSON.parse(bentJson(draws, sample, 0.1));
    // The encoder takes an object with a length of two billion for so many bytes; it only ever gets control's own.
    if (typeof bent?.public_key === 'object') bent.public_key = '';
    return codec.encode(bent);
  } catch {
    return damaged(draws, codec.encode(sample));
  }
}

/** What is in JSON within a message is bent by itself, as the message stays readable then. */
function bentEvent(draws: Draws, event: messages.CallEvent): messages.CallEvent {
  const bent = { ...event };
  if (draws.chance(0.4)) bent.data_json = bentJson(draws, JSON.parse(event.data_json), 0.15);
  const { ending } = event;
  if (ending?.provider_usage_json && draws.chance(0.5)) {
    bent.ending = { ...ending, provider_usage_json: bentJson(draws, JSON.parse(ending.provider_usage_json), 0.15) };
  }
  return bent;
}

const backlogBelow = (events: number) =>
  eventually('events to be read', 120_000, async () => {
    // A busy server may not answer in time.
    const backlog = await engine.events.backlog().catch(() => null);
    return (backlog && backlog.unread < events) || null;
  });

it('events of any content leave the events of other calls as they are', async () => {
  const total = messagesOf(1_500);
  const tally = createTally('bus: events', total - FROM);
  const draws = createDraws(SEED);
  const stream = jetstream(connection);
  let callId = newId();
  for (let count = 0; count < total; count++) {
    if (count >= FROM && (count === FROM || count % 500 === 0)) callId = (await openedCall()).id;
    const event = bentEvent(draws, draws.pick(wholeCall(draws.chance(0.9) ? callId : newId())));
    const bytes = anyBytes(draws, messages.callEventCodec, {
      ...event,
      seq: draws.chance(0.7) ? event.seq : draws.below(9),
    });
    const subject = subjects.eventsOf(draws.chance(0.9) ? callId : draws.pick(['x', newId()]));
    if (count < FROM) continue;
    await stream.publish(subject, bytes, { timeout: PUBLISHED_WITHIN_MS });
    tally.add('published');
    if (count % 1_000 === 999) {
      const stuck = await backlogBelow(500).catch((error: Error) => error.message);
      unexpected(tally);
      if (typeof stuck === 'string') {
        tally.found(stuck);
        return expect(tally.end()).toEqual([]);
      }
    }
  }
  const other = await openedCall();
  for (const event of wholeCall(other.id)) await engine.publishEvent(event);
  await eventually('the other call to end', 60_000, async () => {
    return (await fixture.read(other.id)).status === 'completed' || null;
  });
  unexpected(tally);
  expect(tally.end()).toEqual([]);
}, 86_400_000);

it('requests of any content leave other requests answered', async () => {
  const kinds = requestKinds(await openedCall());
  const total = messagesOf(1_500);
  const tally = createTally('bus: requests to control', total);
  const draws = createDraws(SEED);
  for (let count = 0; count < total; count++) {
    const [subject, codec, sample] = draws.pick(kinds);
    const reply = draws.chance(0.9) ? `_INBOX.fuzz.${count}` : draws.pick([subjects.HEARTBEAT, 'antiphon.x', '']);
    const bytes = anyBytes(draws, codec, sample);
    connection.publish(subject, bytes, reply === '' ? {} : { reply });
    tally.add('published');
    if (count % 200 === 199) await answers();
  }
  await answers();
  unexpected(tally);
  expect(tally.end()).toEqual([]);
}, 86_400_000);

async function answers(): Promise<void> {
  const request = { call_id: newId(), query: 'x', limit: 1, within_ms: 1_000 };
  expect((await engine.searchKnowledge(request, 60_000)).error).toBe('the call is not known');
}

// biome-ignore lint/suspicious/noExplicitAny: each kind has a message of its own
type Kind = [subject: string, codec: messages.Codec<any>, sample: object];

function requestKinds({ id: call_id, provider_call_id }: { id: string; provider_call_id: string | null }): Kind[] {
  const open = { call_id, nonce: 'a'.repeat(16), engine_id: 'engine-1', carrier: 'twilio', provider_call_id };
  const transfer = { call_id, transfer_id: newId(), name: 'Sales', number: '+919811112222', reason: 'wants to buy' };
  const heartbeat = {
    engine_id: 'engine-1',
    at_ms: Date.now(),
    call_ids: [call_id],
    headroom: 3,
    public_url: 'wss://a.b',
  };
  return [
    [subjects.OPEN_SESSION, messages.openSessionRequestCodec, { ...open, public_key: new Uint8Array(32) }],
    [
      subjects.SEARCH_KNOWLEDGE,
      messages.searchKnowledgeRequestCodec,
      { call_id, query: 'x', limit: 3, within_ms: 500 },
    ],
    [
      subjects.FETCH_AMBIENT_SOUND,
      messages.fetchAmbientSoundRequestCodec,
      { workspace_id: tenant.workspace_id, sound_id: newId(), offset: 0 },
    ],
    [
      subjects.START_TRANSFER,
      messages.startTransferRequestCodec,
      { ...transfer, warm: false, summary: '', language: 'en' },
    ],
    [subjects.BOOK_CALLBACK, messages.bookCallbackRequestCodec, { call_id, when: '2026-12-01T10:00:00Z', note: 'x' }],
    [
      subjects.OPEN_HANDOFF,
      messages.openHandoffRequestCodec,
      { call_id, from_agent_id: newId(), agent_id: newId(), public_key: new Uint8Array(32) },
    ],
    [subjects.HEARTBEAT, messages.heartbeatCodec, heartbeat],
    [subjects.WAKE_UP, messages.wakeUpCodec, { from: 'x', topic: 'calls', keys: ['a'] }],
  ];
}

it('commands of any content leave an engine answering', async () => {
  const total = messagesOf(1_500);
  const tally = createTally('bus: commands to an engine', total);
  const draws = createDraws(SEED);
  const callId = newId();
  const done = () => ({ done: true, detail: '' });
  const serving = [engine.serveCommands(callId, done), engine.serveTransferOutcomes(callId, done)];
  const kinds: Kind[] = [
    [
      subjects.commandsTo('engine-1', callId),
      messages.hangUpCommandCodec,
      { call_id: callId, hangup_by: 'member', hangup_reason: 'hung up by a member' },
    ],
    [
      subjects.transferOutcomesOf('engine-1', callId),
      messages.transferOutcomeCodec,
      { call_id: callId, transfer_id: newId(), status: 'busy', dial_status: 'busy' },
    ],
  ];
  for (let count = 0; count < total; count++) {
    const [subject, codec, sample] = draws.pick(kinds);
    connection.publish(subject, anyBytes(draws, codec, sample), { reply: `_INBOX.fuzz.${count}` });
    tally.add('published');
    if (count % 500 === 499) await connection.flush();
  }
  const command = { call_id: callId, hangup_by: 'member', hangup_reason: 'hung up by a member' } as const;
  expect((await engine.sendHangUp(command as never, 60_000, 'engine-1')).done).toBe(true);
  for (const each of serving) each.stop();
  unexpected(tally);
  expect(tally.end()).toEqual([]);
}, 86_400_000);
