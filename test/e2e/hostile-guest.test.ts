import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { asOperator } from '../../dev/first-workspace.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { accessOptions, type BusAccess } from '../../shared/bus/access.ts';
import { type BusFiles, writeBusKeys } from '../../shared/bus/bus-keys.ts';
import { type BusPermissions, controlMay, engineMay } from '../../shared/bus/permissions.ts';
import * as subjects from '../../shared/bus/subjects.ts';
import { newId } from '../../shared/ids.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { say, waitForText, waitForWelcome } from '../support/conversing-caller.ts';
import { addressOf, listedEndpoints } from '../support/endpoint-list.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/**
 * A guest in the network of the whole service during a call: with no credentials, those of another service and those of another
 * role, they try the bus, the database and every port of both programs. Nothing is read, and the call goes on to its own end.
 */

const CALLER = '+919876504321';
const GUEST = 'guest';
const closing: (() => Promise<unknown>)[] = [];
let service: Service;
let phone: Phone;
let callId: string;
let engineId: string;
let ports: Record<'api' | 'media' | 'nats' | 'postgres', number>;
/** The bus's users with one more engine, which the guest has taken over, and those of another service. */
let users: BusFiles;
let foreign: BusFiles;

beforeAll(async () => {
  service = await startService({
    transcripts: ['for two people', 'thank you very much goodbye'],
    answer: (words) =>
      words.includes('goodbye')
        ? { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] }
        : { text: 'For when?' },
  });
  const { stack } = service;
  const { home } = stack;
  const engines = [...stack.bus.engines.map(({ NATS_NAME }) => NATS_NAME), GUEST];
  users = writeBusKeys({ folder: home.bus, engines, storeDir: home.nats });
  foreign = writeBusKeys({ folder: join(home.dir, 'foreign-bus'), engines, storeDir: home.nats });
  process.kill(stack.pids.nats!, 'SIGHUP');
  const remembered = JSON.parse(readFileSync(join(home.dir, 'ports.json'), 'utf8')) as Record<string, number>;
  ports = {
    api: Number(new URL(stack.apiUrl).port),
    media: Number(new URL(stack.mediaUrl).port),
    nats: remembered.nats!,
    postgres: remembered.postgres!,
  };

  const { number } = await service.agentOn('twilio', { call: { hangup_after_silence_seconds: 120 } });
  const url = `${stack.apiUrl}/carriers/twilio`;
  const incoming = service.carriers.twilio.placeInbound({
    ...{ from: CALLER, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
  });
  phone = await incoming.waitForPhone(60_000);
  callId = await service.callOf(CALLER);
  await waitForWelcome(phone);
  engineId = await asOperator(stack, async (sql) => {
    const [row] = await sql<{ engine_id: string }[]>`select engine_id from live_calls where id = ${callId}`;
    return row!.engine_id;
  });
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  await service?.close();
});

test('every port of the programs and servers is tried below, and reached from this machine only', () => {
  const { supervisor: _test, ...pids } = service.stack.pids;
  const listening = Object.values(pids).flatMap(listeningAddresses);
  expect(listening.map(({ port }) => port).toSorted()).toEqual(Object.values(ports).toSorted());
  expect(listening.filter(({ address }) => address !== '127.0.0.1')).toEqual([]);
});

describe('the bus', () => {
  const open = (access: BusAccess, name: string) =>
    connect({
      ...accessOptions(`127.0.0.1:${ports.nats}`, access),
      ...{ reconnect: false, inboxPrefix: subjects.inboxOf(name) },
    });

  test('refuses who has no credentials, and those of another service', async () => {
    const others = [foreign.control, ...foreign.engines].map(({ NATS_CREDENTIALS }) => ({
      credentialsFile: NATS_CREDENTIALS,
    }));
    for (const access of [{}, { user: 'control' }, { user: 'control', password: 'x' }, { token: 'x' }, ...others]) {
      await expect(open(access, 'control')).rejects.toThrow(/authorization/i);
    }
  });

  test("gives another engine nothing of this one's call, and takes nothing from it", async () => {
    const guest = await eventually('the new user', 60_000, () =>
      open({ credentialsFile: users.engines.at(-1)!.NATS_CREDENTIALS }, GUEST).catch(() => null),
    );
    closing.push(() => guest.close());
    const received = receiveAll(guest, [`${subjects.inboxOf(GUEST)}.>`, ...everySubject(), ...wildcards()]);
    const own = engineMay(GUEST);
    const forbidden = everySubject().filter((subject) => !allows(own.publish, subject));
    for (const subject of forbidden)
      guest.publish(subject, randomBytes(20), { reply: `${subjects.inboxOf(GUEST)}.reply` });
    await guest.flush();

    // What the engine and control say to each other meanwhile.
    const { sinceMs } = await say(phone, 'short-two-people');
    await waitForText(phone, 'For when?', sinceMs);
    await guest.flush();
    expect(forbidden.length).toBeGreaterThan(50);
    expect(received).toEqual([]);
  });
});

test('the database refuses every user and password but its own', async () => {
  const { username, password } = new URL(service.stack.databaseUrl);
  const foreignPassword = randomBytes(18).toString('base64url');
  const attempts = [
    ...[username, 'postgres', 'root', 'control'].flatMap((user) =>
      ['', user, foreignPassword].map((pass) => [user, pass]),
    ),
    ['postgres', password],
    ['guest', password],
  ];
  for (const [user, pass] of attempts) {
    const sql = postgres({
      ...{ host: '127.0.0.1', port: ports.postgres, database: 'antiphon', user: user!, pass: pass!, max: 1 },
      ...{ connect_timeout: 20, onnotice() {} },
    });
    await expect(sql`select 1`, `${user}`).rejects.toThrow(/password authentication failed|no password/i);
    await sql.end({ timeout: 1 });
  }
});

describe("control's port", () => {
  const invented = () => randomBytes(24).toString('base64url');
  const credentials = (): Record<string, string>[] => [
    {},
    { authorization: `Bearer svc_${invented()}` },
    { authorization: `Bearer svcs_${invented()}` },
    { authorization: `Bearer svco_${invented()}` },
    { 'x-api-key': `svc_${invented()}` },
    { cookie: `session=${invented()}` },
  ];
  const ask = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const response = await fetch(`${service.stack.apiUrl}${path}`, {
      ...{ method, headers, redirect: 'manual', signal: AbortSignal.timeout(60_000) },
      ...(body === undefined ? {} : { body }),
    });
    await response.body?.cancel();
    return response.status;
  };

  test('answers no endpoint without credentials, or with invented ones', async () => {
    const closed = listedEndpoints().filter(({ credential }) => credential !== 'public');
    for (const { method, path } of closed) {
      for (const headers of credentials()) {
        const address = `/api/v1${addressOf(path)}`.replace(/\/calls\/[0-9a-f-]{32,36}/, `/calls/${callId}`);
        expect([401, 429], `${method} ${path}`).toContain(await ask(method, address, headers));
      }
    }
    expect(closed.length).toBeGreaterThan(100);
  });

  test("takes no carrier's report of the call that nobody has signed", async () => {
    const sid = service.carriers.twilio.calls[0]!.id;
    const forms = [
      ['twilio', `CallSid=${sid}&CallStatus=completed&CallDuration=1`],
      ['plivo', `CallUUID=${sid}&CallStatus=completed&Event=Hangup`],
    ];
    for (const [carrier, form] of forms) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const invalid = { 'x-twilio-signature': invented(), 'x-plivo-signature-v3': invented() };
      for (const signature of [{}, invalid] as Record<string, string>[]) {
        for (const kind of ['status', 'inbound']) {
          const status = await ask('POST', `/carriers/${carrier}/${kind}`, { ...type, ...signature }, form);
          expect([401, 403]).toContain(status);
        }
      }
    }
  });

  test('shows its figures to nobody that a proxy passed on', async () => {
    expect(await ask('GET', '/metrics', { 'x-forwarded-for': '203.0.113.7' })).toBe(404);
  });
});

describe("media's port", () => {
  /** The status of a refused upgrade, 101 when it is taken. */
  const upgrade = (path: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${ports.media}${path}`);
      socket.on('unexpected-response', (_request, response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('error', () => {});
    });

  test('takes no stream without a token, with one of another service, or with an expired one', async () => {
    const secret = readFileSync(join(service.stack.home.dir, 'media-token-secret'), 'utf8').trim();
    const soon = Date.now() + 60_000;
    const tokens = [
      '',
      randomBytes(40).toString('base64url'),
      signMediaToken('the secret of another service', callId, soon),
      signMediaToken(secret, newId(), Date.now() - 2_000),
    ];
    const paths = ['twilio', 'plivo', 'telnyx', 'vonage', 'exotel', 'asterisk'].flatMap((carrier) =>
      tokens.flatMap((token) => [`/carrier/${carrier}/${token}`, `/carrier/${carrier}?token=${token}`]),
    );
    for (const path of [...paths, ...tokens.map((token) => `/web/${token}`)]) {
      expect([401, 403, 404], path.slice(0, 20)).toContain(await upgrade(path));
    }
  });

  test('has no other paths', async () => {
    for (const path of ['/', '/calls', '/admin', `/carrier/twilio/x/${callId}`, '/debug']) {
      expect((await fetch(`http://127.0.0.1:${ports.media}${path}`)).status).toBe(404);
    }
  });

  // Open to this machine only: test/media/server.test.ts.
  test('has figures that name no call', async () => {
    for (const path of ['/metrics', '/metricsz']) {
      const body = await (await fetch(`http://127.0.0.1:${ports.media}${path}`)).text();
      expect(body.length > 0 && !body.includes(callId)).toBe(true);
    }
  });
});

test('the call goes on to its own end, with a whole timeline', async () => {
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  const { call, events } = await service.finished(callId);
  expect(call).toMatchObject({ status: 'completed', hangup_reason: 'agent ended the call' });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === 'user.turn')).toHaveLength(2);
});

/** Every subject that the module of subjects can make for this call and engine, and what either role may use. */
function everySubject(): string[] {
  const values = [callId, engineId, 'control', 'engine', 'deepgram', '0'];
  const made = Object.values(subjects).flatMap((each): unknown[] => {
    if (typeof each !== 'function') return [each];
    const make = each as (...values: unknown[]) => unknown;
    if (make.length === 1) return values.map((value) => make(value));
    return values.flatMap((first) => values.map((second) => make(first, second)));
  });
  const isSubject = (each: unknown): each is string => typeof each === 'string' && /^(antiphon\.|_INBOX)/.test(each);
  const inRoles = [controlMay(), engineMay('engine')].flatMap(subjectsOf).map(filledIn);
  return [...new Set([...made.filter(isSubject), ...inRoles])];
}

const subjectsOf = ({ publish, subscribe }: BusPermissions) =>
  [...publish, ...subscribe].map((subject) => subject.split(' ')[0]!);

const filledIn = (pattern: string) => pattern.replaceAll('>', 'x').replaceAll('*', callId);

function wildcards(): string[] {
  const roles = [controlMay(), engineMay('engine')].flatMap(subjectsOf);
  return [
    ...new Set(['>', '*.>', 'antiphon.>', 'antiphon.*.*', '$JS.>', '$SYS.>', '_INBOX.>', '_INBOX_*.>', ...roles]),
  ];
}

/** NATS' wildcards: `*` is one part, `>` the rest. */
function allows(patterns: readonly string[], subject: string): boolean {
  return patterns.some((pattern) => {
    const text = pattern.split('.').map((part) => (part === '*' ? '[^.]+' : part === '>' ? '.+' : escaped(part)));
    return new RegExp(`^${text.join('\\.')}$`).test(subject);
  });
}

const escaped = (text: string) => text.replace(/[$^+?()[\]{}|\\]/g, '\\$&');

/** Collects the subjects of all messages that come, with and without a queue. */
function receiveAll(guest: NatsConnection, wanted: readonly string[]): string[] {
  const received: string[] = [];
  for (const subject of wanted) {
    for (const queue of [undefined, subjects.CONTROL_QUEUE, subjects.MEDIA_QUEUE]) {
      guest.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback: (error, message) => {
          if (!error) received.push(message.subject);
        },
      });
    }
  }
  return received;
}

/** The TCP addresses that a process listens on (proc(5), net/tcp). */
function listeningAddresses(pid: number): { address: string; port: number }[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1),
  );
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    if (state !== '0A' || !inodes.has(inode)) return [];
    const [host = '', port = ''] = local.split(':');
    const address = host === '0100007F' ? '127.0.0.1' : host;
    return [{ address, port: Number.parseInt(port, 16) }];
  });
}
