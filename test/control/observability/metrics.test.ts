import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createItemRunner, type JobItem } from '../../../control/db/item-runner.ts';
import { startPollingJob } from '../../../control/db/polling-job.ts';
import { queueEmail } from '../../../control/mail/queue-email.ts';
import { createWorkloadMetrics } from '../../../control/observability/workload-metrics.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { eventually } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

let api: TestApi;
let client: Client;
let shiftedMs = 0;
const NAME = 'Sixteen Candles';

beforeAll(async () => {
  // What was counted is not out of date before a test says so, and counting may take as long as it does.
  const { clock } = holdTimers(3_000, { ...systemClock, now: () => shiftedMs });
  api = await startTestApi({}, {}, { clock });
  client = await api.newWorkspace(NAME);
});
/** The cached counts are out of date before every test. */
beforeEach(() => {
  shiftedMs += 5_000;
});

async function scrape(headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') {
  const answer = await api.http.inject({ method: 'GET', url: '/metrics', headers, remoteAddress });
  return { status: answer.statusCode, text: answer.body, type: answer.headers['content-type'] };
}

/** The value of a series; undefined when there is none. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1).replace('Inf', 'Infinity'));
}

describe('access to GET /metrics', () => {
  it.each(['127.0.0.1', '::1', '10.1.2.3', '172.18.0.4', '192.168.1.9', '::ffff:10.0.0.7', 'fd00::5'])(
    'is allowed for %s',
    async (address) => {
      expect((await scrape({}, address)).status).toBe(200);
    },
  );

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8', '2002:7f00:1::'])(
    'is refused for %s',
    async (address) => {
      const refused = await scrape({}, address);
      const unknown = await api.http.inject({ method: 'GET', url: '/nowhere' });
      expect([refused.status, refused.text]).toEqual([404, unknown.body]);
    },
  );

  it('is refused for what came through a proxy, trusted or not', async () => {
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

describe('GET /metrics', () => {
  it('is valid for Prometheus, and names no workspace', async () => {
    await client.send('GET', '/agents');
    const { status, text, type } = await scrape();
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text.endsWith('\n')).toBe(true);
    const named = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name!);
    expect(new Set(named).size).toBe(named.length);
    expect([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name)).toEqual(named);
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const SERIES = /^([a-z][a-z0-9_]*)(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? (-?[\d.e+-]+|\+Inf|Nan)$/;
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
      expect(seriesValue(text, name)).toBeGreaterThan(0);
    }
    expect(seriesValue(text, 'antiphon_bus_connected')).toBe(1);
    expect(seriesValue(text, 'antiphon_engines{state="live"}')).toBe(0);
    expect(seriesValue(text, 'antiphon_engines_headroom_calls')).toBe(0);
  });

  it('measures the lag of the event loop between scrapes', async () => {
    const lag = await eventually('a lag', 60_000, async () => {
      const { text } = await scrape();
      return seriesValue(text, 'nodejs_eventloop_lag_p99_seconds');
    });
    expect(lag).toBeGreaterThanOrEqual(0);
  });

  it('counts requests by route as declared, never by path', async () => {
    const ids = [newId(), newId(), newId()];
    for (const id of ids) expect((await client.send('GET', `/calls/${id}`)).status).toBe(404);
    for (const path of ['/wp-login.php', '/.env']) await api.http.inject({ method: 'GET', url: path });
    const { text } = await scrape();
    const route = 'method="GET",route="/api/v1/calls/:call_id"';
    expect(seriesValue(text, `antiphon_http_requests_total{${route},status="4xx"}`)).toBe(3);
    expect(seriesValue(text, `antiphon_http_request_duration_seconds_count{${route}}`)).toBe(3);
    expect(seriesValue(text, `antiphon_http_request_duration_seconds_bucket{le="+Inf",${route}}`)).toBe(3);
    expect(seriesValue(text, `antiphon_http_request_duration_seconds_sum{${route}}`)).toBeGreaterThan(0);
    const none = 'antiphon_http_requests_total{method="GET",route="none",status="4xx"}';
    expect(seriesValue(text, none)).toBeGreaterThanOrEqual(2);
    for (const word of [...ids, 'wp-login', '.env']) expect(text).not.toContain(word);
  });

  it('counts the work of all workspaces, at most once in five seconds', async () => {
    const other = await api.newWorkspace();
    const before = (await scrape()).text;
    expect(seriesValue(before, 'antiphon_database_counted')).toBe(1);
    expect(seriesValue(before, 'antiphon_oldest_waiting_call_age_seconds')).toBe(0);
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
    expect(seriesValue((await scrape()).text, 'antiphon_calls{state="waiting"}')).toBe(0);
    shiftedMs += 5_000;
    const { text } = await scrape();
    const found = (series: string) => seriesValue(text, series);
    const states = ['ringing', 'in_progress', 'waiting', 'scheduled', 'completing'];
    expect(states.map((state) => found(`antiphon_calls{state="${state}"}`))).toEqual([2, 1, 2, 2, 0]);
    const statuses = ['scheduled', 'running', 'paused'];
    expect(statuses.map((status) => found(`antiphon_batches{status="${status}"}`))).toEqual([0, 2, 1]);
    expect([found('antiphon_webhook_deliveries_waiting'), found('antiphon_emails_waiting')]).toEqual([2, 1]);
    for (const age of ['oldest_waiting_call_age', 'webhook_deliveries_oldest_age', 'emails_oldest_age']) {
      expect(found(`antiphon_${age}_seconds`)).toBeGreaterThanOrEqual(59);
      expect(found(`antiphon_${age}_seconds`)).toBeLessThan(3_600);
    }
  });

  it('counts dials without an answer and those that are to be sent again, and says whether a connection is held', async () => {
    await api.sql`
      update live_calls set dial_state = 'unknown', ringing_at = now() - interval '2 minutes' where id = (
        select id from live_calls where status = 'ringing' and workspace_id = ${client.workspace_id})`;
    await insertCall(client.workspace_id, 'ringing', new Date());
    await api.sql`update live_calls set dial_state = 'slowed' where status = 'ringing' and dial_state = ''
      and workspace_id = ${client.workspace_id}`;
    await api.sql`
      insert into connection_leases (name, holder, held_until)
      values ('asterisk held', 'a', now() + interval '1 minute'), ('asterisk lost', 'b', now() - interval '1 second')`;
    const { text } = await scrape();
    expect(seriesValue(text, 'antiphon_dials{state="unknown"}')).toBe(1);
    expect(seriesValue(text, 'antiphon_dials{state="slowed"}')).toBe(1);
    expect(seriesValue(text, 'antiphon_dials_oldest_unknown_age_seconds')).toBeGreaterThanOrEqual(119);
    expect(seriesValue(text, 'antiphon_carrier_connection_held{connection="asterisk held"}')).toBe(1);
    expect(seriesValue(text, 'antiphon_carrier_connection_held{connection="asterisk lost"}')).toBe(0);
  });

  it('counts what the audit of money found', async () => {
    const found = { subject: 'wallet', workspace_id: client.workspace_id, difference: 'x', found_at: new Date() };
    await api.sql`insert into money_findings ${api.sql(found)}`;
    expect(seriesValue((await scrape()).text, 'antiphon_money_differences')).toBe(1);
  });

  it('shows that the database cannot count, and the rest', async () => {
    const away = { begin: async () => Promise.reject(new Error('away')) };
    const clock = createVirtualClock();
    const metrics = createWorkloadMetrics({ sql: away as never, clock, log });
    expect(await (await metrics()).metrics()).toContain('antiphon_database_counted 0\n');
  });

  it('waits three seconds for a connection to count with', async () => {
    const clock = createVirtualClock();
    const busy = { begin: () => new Promise(() => {}) };
    const registry = createWorkloadMetrics({ sql: busy as never, clock, log })();
    await clock.advance(3_000);
    expect(await (await registry).metrics()).toContain('antiphon_database_counted 0\n');
  });

  it('shows how the pools are used', async () => {
    const { text } = await scrape();
    expect(seriesValue(text, 'antiphon_database_connections_max{pool="jobs"}')).toBe(6);
    expect(seriesValue(text, 'antiphon_database_waiting{pool="jobs"}')).toBe(0);
    expect(seriesValue(text, 'antiphon_database_wait_refusals_total{pool="jobs"}')).toBe(0);
    expect(seriesValue(text, 'antiphon_database_statements_canceled_total{pool="jobs"}')).toBe(0);
  });

  it('shows how long ago a background job succeeded, until the job is stopped', async () => {
    const clock = createVirtualClock();
    let fails = false;
    const run = async () => {
      if (fails) throw new Error('it fails');
    };
    const job = startPollingJob({ name: 'a test job', intervalMs: 1_000, clock, log, run });
    await clock.advance(3_500);
    const age = 'antiphon_job_success_age_seconds{job="a test job"}';
    expect(seriesValue((await scrape()).text, age)).toBe(0.5);
    fails = true;
    await clock.advance(10_000);
    const { text } = await scrape();
    expect(seriesValue(text, age)).toBe(10.5);
    expect(seriesValue(text, 'antiphon_job_interval_seconds{job="a test job"}')).toBe(1);
    await job.stop();
    expect(seriesValue((await scrape()).text, age)).toBeUndefined();
  });

  it('shows what of a background job runs, waits to be tried again and has failed', async () => {
    const clock = createVirtualClock();
    const items = createItemRunner({ name: 'a test job', idField: 'id', clock, log });
    let finish = () => {};
    const work = ({ id }: JobItem) =>
      id === 'fails' ? Promise.reject(new Error('no')) : new Promise<void>((resolve) => (finish = resolve));
    const found = ['fails', 'hangs'].map((id) => ({ id, workspace_id: 'w' }));
    const run = () => items.run(found, work);
    const job = startPollingJob({ name: 'a test job', intervalMs: 1_000_000, clock, log, items, run });
    await clock.advance(500);
    const { text } = await scrape();
    expect(seriesValue(text, 'antiphon_job_items_running{job="a test job"}')).toBe(1);
    expect(seriesValue(text, 'antiphon_job_items_retrying{job="a test job"}')).toBe(1);
    expect(seriesValue(text, 'antiphon_job_item_failures_total{job="a test job",kind="other"}')).toBe(1);
    finish();
    await job.stop();
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
