import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPollingJob } from '../../../control/db/polling-job.ts';
import { queueEmail } from '../../../control/mail/queue-email.ts';
import { exposition } from '../../../control/observability/exposition.ts';
import { createWorkloadMetrics } from '../../../control/observability/workload-metrics.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { eventually } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

let api: TestApi;
let client: Client;
let shiftedMs = 0;
const NAME = 'Sixteen Candles';

beforeAll(async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + shiftedMs };
  api = await startTestApi({}, {}, { clock });
  client = await api.newWorkspace(NAME);
});
/** What was counted before is not shown again. */
beforeEach(() => {
  shiftedMs += 5_000;
});

async function scrape(headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') {
  const answer = await api.http.inject({ method: 'GET', url: '/metrics', headers, remoteAddress });
  return { status: answer.statusCode, text: answer.body, type: answer.headers['content-type'] };
}

/** The value of a series, as it is written; undefined when there is none. */
function figure(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1).replace('Inf', 'Infinity'));
}

describe('the text', () => {
  it('has help, type and series of each family, with what they say escaped', () => {
    const text = exposition([
      { name: 'a_total', help: 'one\ntwo \\', type: 'counter', series: [{ labels: { x: 'say "hi"\\\n' }, value: 2 }] },
      { name: 'b', help: 'room', type: 'gauge', series: [{ value: Number.POSITIVE_INFINITY }] },
      { name: 'c', help: 'none', type: 'gauge', series: [] },
    ]);
    expect(text).toBe(
      [
        '# HELP a_total one\\ntwo \\\\',
        '# TYPE a_total counter',
        'a_total{x="say \\"hi\\"\\\\\\n"} 2',
        '# HELP b room',
        '# TYPE b gauge',
        'b +Inf',
        '',
      ].join('\n'),
    );
  });

  it('has buckets that hold all the smaller ones', () => {
    const series = [{ labels: { route: '/' }, counts: [1, 0, 2], sum: 3.5 }];
    const lines = exposition([{ name: 'h', help: 'h', type: 'histogram', bounds: [0.1, 1], series }]).split('\n');
    expect(lines.slice(2, -1)).toEqual([
      'h_bucket{route="/",le="0.1"} 1',
      'h_bucket{route="/",le="1"} 1',
      'h_bucket{route="/",le="+Inf"} 3',
      'h_sum{route="/"} 3.5',
      'h_count{route="/"} 3',
    ]);
  });
});

describe('who may read it', () => {
  it.each(['127.0.0.1', '::1', '10.1.2.3', '172.18.0.4', '192.168.1.9', '::ffff:10.0.0.7', 'fd00::5'])(
    'is %s',
    async (address) => {
      expect((await scrape({}, address)).status).toBe(200);
    },
  );

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8', '2002:7f00:1::'])(
    'is not %s',
    async (address) => {
      const refused = await scrape({}, address);
      const unknown = await api.http.inject({ method: 'GET', url: '/nowhere' });
      expect([refused.status, refused.text]).toEqual([404, unknown.body]);
    },
  );

  it('is nobody who came through a proxy, trusted or not', async () => {
    const behind = await startTestApi({}, { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Forwarded-Proto', 'Via']) {
      for (const { http } of [api, behind]) {
        const options = { method: 'GET', url: '/metrics', headers: { [header]: '10.0.0.9' } } as const;
        expect((await http.inject(options)).statusCode).toBe(404);
      }
    }
    expect((await behind.http.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(200);
  });
});

describe('what it tells', () => {
  it('can be read by Prometheus, and is about nobody', async () => {
    await client.send('GET', '/agents');
    const { status, text, type } = await scrape();
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text.endsWith('\n')).toBe(true);
    const named = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name!);
    expect(new Set(named).size).toBe(named.length);
    expect([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name)).toEqual(named);
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const SERIES = /^([a-z][a-z0-9_]*)(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? (-?[\d.e+-]+|\+Inf)$/;
    for (const line of series) {
      expect(line).toMatch(SERIES);
      expect(named).toContain(SERIES.exec(line)![1]!.replace(/_(bucket|sum|count)$/, ''));
    }
    expect(new Set(series.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(series.length);
    for (const secret of [client.workspace_id, NAME, client.key]) expect(text).not.toContain(secret);
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_user_seconds_total',
      'process_start_time_seconds',
    ]) {
      expect(figure(text, name)).toBeGreaterThan(0);
    }
    expect(figure(text, 'antiphon_bus_connected')).toBe(1);
    expect(figure(text, 'antiphon_engines{state="heard"}')).toBe(0);
    expect(figure(text, 'antiphon_engines_room_calls')).toBe(0);
  });

  it('measures the lag of the event loop from scrape to scrape', async () => {
    const lag = await eventually('a lag', 20_000, async () => {
      const { text } = await scrape();
      return figure(text, 'nodejs_eventloop_lag_p99_seconds');
    });
    expect(lag).toBeGreaterThanOrEqual(0);
  });

  it('counts requests by route as declared, never by what was asked for', async () => {
    const ids = [newId(), newId(), newId()];
    for (const id of ids) expect((await client.send('GET', `/calls/${id}`)).status).toBe(404);
    for (const path of ['/wp-login.php', '/.env']) await api.http.inject({ method: 'GET', url: path });
    const { text } = await scrape();
    const route = 'method="GET",route="/api/v1/calls/:call_id"';
    expect(figure(text, `antiphon_http_requests_total{${route},status="4xx"}`)).toBe(3);
    expect(figure(text, `antiphon_http_request_duration_seconds_count{${route}}`)).toBe(3);
    expect(figure(text, `antiphon_http_request_duration_seconds_bucket{${route},le="+Inf"}`)).toBe(3);
    expect(figure(text, `antiphon_http_request_duration_seconds_sum{${route}}`)).toBeGreaterThan(0);
    const none = 'antiphon_http_requests_total{method="GET",route="none",status="4xx"}';
    expect(figure(text, none)).toBeGreaterThanOrEqual(2);
    for (const word of [...ids, 'wp-login', '.env']) expect(text).not.toContain(word);
  });

  it('counts the work of all workspaces, at most once in five seconds', async () => {
    const other = await api.newWorkspace();
    const before = (await scrape()).text;
    expect(figure(before, 'antiphon_database_counted')).toBe(1);
    expect(figure(before, 'antiphon_oldest_waiting_call_age_seconds')).toBe(0);
    const minuteAgo = new Date(Date.now() - 60_000);
    for (const { workspace_id } of [client, other]) {
      await insertCall(workspace_id, 'queued', minuteAgo);
      await insertCall(workspace_id, 'queued', new Date(Date.now() + 3_600_000));
      await insertCall(workspace_id, 'ringing', minuteAgo);
      await insertCall(workspace_id, 'completed', minuteAgo);
      await insertBatch(workspace_id, 'running');
      await insertBatch(workspace_id, 'completed');
      await insertDelivery(workspace_id, 'retrying', minuteAgo);
      await insertDelivery(workspace_id, 'delivered', new Date(0));
    }
    await insertCall(client.workspace_id, 'in-progress', minuteAgo);
    await insertBatch(client.workspace_id, 'paused');
    await queueEmail(api.sql, { to: 'a@example.com', subject: 's', text: 't' }, minuteAgo.getTime());
    expect(figure((await scrape()).text, 'antiphon_calls{state="waiting"}')).toBe(0);
    shiftedMs += 5_000;
    const { text } = await scrape();
    const found = (series: string) => figure(text, series);
    const states = ['ringing', 'in_progress', 'waiting', 'scheduled', 'completing'];
    expect(states.map((state) => found(`antiphon_calls{state="${state}"}`))).toEqual([2, 1, 2, 2, 0]);
    const statuses = ['scheduled', 'running', 'paused'];
    expect(statuses.map((status) => found(`antiphon_batches{status="${status}"}`))).toEqual([0, 2, 1]);
    expect([found('antiphon_webhook_deliveries_waiting'), found('antiphon_letters_waiting')]).toEqual([2, 1]);
    for (const age of ['oldest_waiting_call_age', 'webhook_deliveries_oldest_age', 'letters_oldest_age']) {
      expect(found(`antiphon_${age}_seconds`)).toBeGreaterThanOrEqual(59);
      expect(found(`antiphon_${age}_seconds`)).toBeLessThan(3_600);
    }
  });

  it('says so when the database cannot count, and goes on', async () => {
    const away = { begin: async () => Promise.reject(new Error('away')) };
    const clock = createVirtualClock();
    const figures = createWorkloadMetrics({ sql: away as never, clock, log });
    expect(exposition(await figures())).toContain('antiphon_database_counted 0\n');
  });

  it('tells how long ago a loop came through, as long as it runs', async () => {
    const clock = createVirtualClock();
    let fails = false;
    const run = async () => {
      if (fails) throw new Error('it fails');
    };
    const loop = startPollingJob({ name: 'a loop of the test', intervalMs: 1_000, clock, log, run });
    await clock.advance(3_500);
    const age = 'antiphon_loop_success_age_seconds{loop="a loop of the test"}';
    expect(figure((await scrape()).text, age)).toBe(0.5);
    fails = true;
    await clock.advance(10_000);
    const { text } = await scrape();
    expect(figure(text, age)).toBe(10.5);
    expect(figure(text, 'antiphon_loop_pause_seconds{loop="a loop of the test"}')).toBe(1);
    await loop.stop();
    expect(figure((await scrape()).text, age)).toBeUndefined();
  });
});

async function insertCall(workspaceId: string, status: string, at: Date): Promise<void> {
  const ended = status === 'completed' ? at : null;
  await api.sql`
    insert into calls (
      workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number,
      started_by, provider, created_at, queued_at, ended_at, currency
    ) values (
      ${workspaceId}, ${newId()}, ${newId()}, 'Asha', 1, 'outbound', 'phone', ${status}, '', '', '', '',
      ${at}, ${at}, ${ended}, 'INR'
    )`;
}

async function insertBatch(workspaceId: string, status: string): Promise<void> {
  await api.sql`
    insert into batches (
      workspace_id, id, agent_id, agent_name, name, status, from_numbers, webhook_url, max_attempts, retry_after_minutes,
      retry_on, total, currency, created_by, created_at, keys
    ) values (
      ${workspaceId}, ${newId()}, ${newId()}, 'Asha', 'A list', ${status}, '{}', '', 1, 5, '{}', 0, 'INR', '',
      now(), '{}'
    )`;
}

async function insertDelivery(workspaceId: string, status: string, at: Date): Promise<void> {
  const next = status === 'delivered' ? null : new Date(Date.now() + 3_600_000);
  await api.sql`
    insert into webhook_deliveries (
      workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq, status,
      next_attempt_at, created_at
    ) values (
      ${workspaceId}, ${`whd_${newId(at.getTime())}`}, 'e', 'call.ended', 'b', 'agent', 'agent:a', 'https://x.example', 'c',
      'a', 1, ${status}, ${next}, ${at}
    )`;
}
