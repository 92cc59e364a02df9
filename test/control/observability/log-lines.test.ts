import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CallLogLine, failedCallLine } from '../../../control/calls/call-log.ts';
import { createCallsModule } from '../../../control/calls/calls-module.ts';
import { ingest } from '../../../control/calls/events/ingest.ts';
import { createReaper } from '../../../control/calls/lifecycle/reaper.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { readControlConfig } from '../../../control/config.ts';
import { dialCall } from '../../../control/dispatch/dial-call.ts';
import { processSources } from '../../../control/knowledge/process-sources.ts';
import { RejectedEmail } from '../../../control/mail/mail-transport.ts';
import { startOutbox } from '../../../control/mail/outbox.ts';
import { queueEmail } from '../../../control/mail/queue-email.ts';
import { createServerLog } from '../../../control/observability/server-log.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi } from '../../support/control-app.ts';
import { eventually } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import {
  type CallFixture,
  createCallFixture,
  createShiftedClock,
  createTestBus,
  createTestCarrier,
  delivered,
  log,
  wholeCall,
} from '../calls/call-fixture.ts';

/** What modules write to the server logs of a workspace: errors and their calls, never phone numbers or speech. */
let fixture: CallFixture;
let stopping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  fixture = await createCallFixture();
});
afterEach(async () => {
  await Promise.all(stopping.map((stop) => stop()));
  stopping = [];
});

const addresses = carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2');

describe('a call', () => {
  it('that failed in the service has a line, a normal end has none', () => {
    const call = {
      ...{ workspace_id: 'w', id: 'c', agent_id: 'a', provider: 'twilio' as const, direction: 'outbound' as const },
    };
    const reasons = ['error: stt', 'media engine lost', 'caller hung up', 'hung up by Asha', 'transferred'] as const;
    const lines = reasons.map((hangup_reason) => failedCallLine({ ...call, hangup_reason })?.data.reason ?? null);
    expect(lines).toEqual(['error: stt', 'media engine lost', null, null, null]);
    expect(failedCallLine({ ...call, hangup_reason: 'error: stt' })).toEqual({
      ...{ workspace_id: 'w', call_id: 'c', agent_id: 'a', level: 'error', message: 'call failed' },
      data: { provider: 'twilio', direction: 'outbound', reason: 'error: stt' },
    });
  });

  it('whose engine reports a failure is logged once', async () => {
    const tenant = await fixture.tenant();
    const call = await fixture.opened(tenant);
    const lines: CallLogLine[] = [];
    const bus = createTestBus();
    let give: ((events: ReturnType<typeof delivered>[]) => Promise<void>) | null = null;
    const consuming = {
      ...bus,
      serveSessions: () => {},
      serveTransfers: () => {},
      serveKnowledge: () => {},
      serveCallbacks: () => {},
      serveHandoffs: () => {},
      consumeEvents: (_name: string, _batch: number, handle: (events: unknown[]) => Promise<void>) => {
        give = handle;
        return { stop: async () => {} };
      },
    };
    const { carriers } = createTestCarrier();
    const config = readControlConfig({
      DATABASE_URL: fixture.url,
      MEDIA_TOKEN_SECRET: 'a secret of the tests',
      RECORDINGS_DIR: '/nowhere',
      PUBLIC_MEDIA_URL: 'ws://127.0.0.1:2',
    });
    const module = createCallsModule({
      ...{ sql: fixture.sql, clock: fixture.clock, log, bus: consuming as never, carriers, addresses },
      config,
      searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }),
      writeLog: (line) => lines.push(line),
    });
    module.start();
    stopping.push(module.stop);
    const events = wholeCall(call.id, { hangup_by: 'service', hangup_reason: 'error: tts' }).map((event) =>
      delivered(event),
    );
    await give!(events);
    await give!(events);
    expect(lines).toEqual([
      expect.objectContaining({
        call_id: call.id,
        level: 'error',
        message: 'call failed',
        workspace_id: tenant.workspace_id,
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('+91');
  });

  it('whose engine is lost is logged', async () => {
    const tenant = await fixture.tenant();
    const call = await fixture.opened(tenant);
    await ingest(
      { sql: fixture.sql, clock: fixture.clock, log },
      wholeCall(call.id)
        .slice(0, 3)
        .map((event) => delivered(event)),
    );
    const lines: CallLogLine[] = [];
    const clock = createShiftedClock();
    const { carriers } = createTestCarrier();
    const reaper = createReaper({
      ...{ sql: fixture.sql, clock, log, bus: createTestBus(), carriers, times: { interval_ms: 40 } },
      writeLog: (line) => lines.push(line),
    });
    reaper.start();
    stopping.push(reaper.stop);
    // One sweep sees that no engine holds the call, one of 45 seconds later ends it.
    await eventually('the engine is lost', 60_000, async () => {
      clock.shift(20_000);
      return lines.length > 0 ? lines : null;
    });
    expect(lines[0]).toMatchObject({ call_id: call.id, level: 'error', message: 'media engine lost' });
  });

  it('whose dial fails is logged, without the text of the carrier', async () => {
    const tenant = await fixture.tenant();
    const call = await fixture.queue(tenant);
    const lines: CallLogLine[] = [];
    const { carriers } = createTestCarrier(async () => ({ accepted: false, reason: 'no route to +919811112222' }));
    await dialCall(
      {
        ...{ sql: fixture.sql, clock: fixture.clock, log, carriers, addresses, streamUrl: () => '' },
        writeLog: (line) => lines.push(line),
      },
      { ...call, provider: 'twilio' },
    );
    expect(lines).toEqual([expect.objectContaining({ call_id: call.id, level: 'warning', message: 'dial refused' })]);
    expect(JSON.stringify(lines)).not.toContain('98111');
  });
});

describe('a job', () => {
  it('of the knowledge base that fails for good is logged', async () => {
    const { workspace_id } = await fixture.tenant();
    const { sql, clock } = fixture;
    const [base, source] = [newId(), newId()];
    await sql`
      insert into knowledge_bases (workspace_id, id, name, description, created_by, created_at, updated_at)
      values (${workspace_id}, ${base}, 'Menu', '', 'Asha', now(), now())`;
    await sql`
      insert into knowledge_sources (workspace_id, knowledge_base_id, id, kind, name, text, text_characters, due_at, created_by, created_at, updated_at)
      values (${workspace_id}, ${base}, ${source}, 'text', 'Menu', '', 0, now(), 'Asha', now(), now())`;
    const failed: unknown[] = [];
    await processSources({ sql, clock, log, embedder: null, onFailed: (each) => failed.push(each) });
    expect(failed).toEqual([{ workspace_id, knowledge_base_id: base, source_id: source, tries: 1, reason: 'empty' }]);
  });

  it('of mail that is given up is logged, without the address', async () => {
    const { workspace_id } = await fixture.tenant();
    const { sql, clock } = fixture;
    const email = { to: 'somebody@example.com', subject: 'News', text: 'News.' };
    await sql.begin((tx) => queueEmail(tx, { ...email, workspace_id }, clock.wall()));
    await sql.begin((tx) => queueEmail(tx, email, clock.wall()));
    const given: unknown[] = [];
    const send = async () => Promise.reject(new RejectedEmail('no such mailbox somebody@example.com'));
    const outbox = startOutbox({ sql, clock, log, send, onFailed: (each) => given.push(each) });
    stopping.push(outbox.stop);
    await eventually('both are given up', 60_000, async () => {
      outbox.wake();
      const [row] = await sql`select count(*)::integer as count from mail_outbox where failed_at is not null`;
      return row!.count === 2 ? row : null;
    });
    // The second belongs to no workspace.
    expect(given).toEqual([{ workspace_id, email_id: expect.any(String), attempts: 1, rejected: true }]);
  });
});

describe('successful reads', () => {
  const read = { method: 'GET', path: '/api/v1/agents', params: {}, status: 200, duration_ms: 1, detail: '' };
  const actor = { kind: 'api_key' as const, id: 'k', name: 'robot' };

  it('have up to 50 lines a second, and one with the number of those left out', async () => {
    const { workspace_id } = await fixture.tenant();
    const other = await fixture.tenant();
    // On a clock that stands still everything happens within one second.
    const serverLog = createServerLog({ sql: fixture.sql, clock: createVirtualClock(), log });
    for (let index = 0; index < 500; index++) {
      serverLog.logRequest({ ...read, workspace_id, request_id: newId(), actor });
    }
    // Requests of other workspaces, changes and errors are logged all the same.
    serverLog.logRequest({ ...read, workspace_id: other.workspace_id, request_id: newId(), actor });
    serverLog.logRequest({ ...read, method: 'POST', status: 201, workspace_id, request_id: newId(), actor });
    serverLog.logRequest({ ...read, status: 404, workspace_id, request_id: newId(), actor });
    await serverLog.stop();
    const rows = await fixture.sql`
      select message, level, data, count(*)::integer as count from server_logs
      where workspace_id = ${workspace_id} group by message, level, data order by message`;
    expect(rows.map(({ message, count }) => [message, count])).toEqual([
      ['GET /api/v1/agents: 200', 50],
      ['GET /api/v1/agents: 404', 1],
      ['POST /api/v1/agents: 201', 1],
      ['more reads went well than are logged', 1],
    ]);
    expect(rows[3]!.data).toEqual({ left_out: 450 });
    const [of] = await fixture.sql`
      select count(*)::integer as count from server_logs where workspace_id = ${other.workspace_id}`;
    expect(of!.count).toBe(1);
  });
});

it('a key beyond its rate limit cannot fill the log: 50 of its 429s a second have a line, and one has the number of the others', async () => {
  const { workspace_id } = await fixture.tenant();
  const refused = { method: 'POST', path: '/api/v1/agents', params: {}, status: 429, duration_ms: 1 };
  const actor = { kind: 'api_key' as const, id: 'k', name: 'robot' };
  const serverLog = createServerLog({ sql: fixture.sql, clock: createVirtualClock(), log });
  for (let index = 0; index < 6_000; index++) {
    serverLog.logRequest({ ...refused, detail: 'rate limit exceeded', workspace_id, request_id: newId(), actor });
  }
  const read = { ...refused, method: 'GET', status: 200, detail: '' };
  serverLog.logRequest({ ...read, workspace_id, request_id: newId(), actor });
  await serverLog.stop();
  const rows = await fixture.sql`
    select message, level, data ->> 'left_out' as left_out, count(*)::integer as count from server_logs
    where workspace_id = ${workspace_id} group by 1, 2, 3 order by 1`;
  expect(rows.map(({ message, level, left_out, count }) => [message, level, left_out, count])).toEqual([
    ['GET /api/v1/agents: 200', 'info', null, 1],
    ['POST /api/v1/agents: 429', 'warning', null, 50],
    ['more requests came too fast than are logged', 'warning', '5950', 1],
  ]);
});

it('reading logs and audit events leaves no audit event', async () => {
  const api = await startTestApi();
  const acme = await api.newWorkspace();
  const trail = async () => (await acme.send('GET', '/audit-events')).body.items;
  const before = await trail();
  expect((await acme.send('GET', '/logs')).status).toBe(200);
  expect(await trail()).toEqual(before);
});
