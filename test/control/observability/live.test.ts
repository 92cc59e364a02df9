import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

/** Noon in India. */
const NOW_MS = Date.UTC(2026, 0, 15, 6, 30);
const HOUR_MS = 3_600_000;

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock: { ...systemClock, wall: () => NOW_MS } });
});

/** Inserts a call that was created so long ago. */
async function call(who: Client, hoursAgo: number, columns: Partial<Record<keyof CallRow, unknown>> = {}) {
  const created_at = new Date(NOW_MS - hoursAgo * HOUR_MS);
  const row = {
    ...{ workspace_id: who.workspace_id, id: newId(), agent_id: null, agent_name: 'Asha', agent_version: 1 },
    ...{ direction: 'outbound', channel: 'phone', status: 'completed', from_number: '+911', to_number: '+912' },
    ...{ started_by: 'x', provider: 'twilio', created_at, queued_at: created_at, started_at: created_at },
    ...{ ended_at: created_at, completed_at: created_at, currency: 'INR', ...columns },
  };
  await api.sql`insert into calls ${api.sql(row as never)}`;
  return row.id as string;
}

const unconnected = { started_at: null, completed_at: null };

async function firstAudio(who: Client, call_id: string, latencies: number[]): Promise<void> {
  for (const [index, latency_ms] of latencies.entries()) {
    const row = {
      ...{ workspace_id: who.workspace_id, call_id, seq: index + 1, id: `evt_${newId()}`, source: 'media', latency_ms },
      ...{ type: 'tts.first_audio', message: '', level: 'info', data: {} as never, created_at: new Date(NOW_MS) },
    };
    await api.sql`insert into call_events ${api.sql(row)}`;
  }
}

describe('the summary', () => {
  it('counts calls by day of the zone, and in total', async () => {
    const who = await api.newWorkspace();
    const agent_id = newId();
    const ended = { hangup_reason: 'caller hung up' };
    const talked = await call(who, 1, { duration_seconds: 30, cost_paise: 500, agent_id, ...ended });
    await firstAudio(who, talked, [300, 500, 700]);
    await call(who, 2, { duration_seconds: 61, cost_paise: 250, answered_by: 'machine', ...ended });
    await call(who, 3, { status: 'no-answer', ...unconnected, hangup_reason: 'no-answer' });
    await call(who, 13, { status: 'busy', ...unconnected, hangup_reason: 'busy' });
    await call(who, 14, { status: 'failed', completed_at: null, duration_seconds: 10, hangup_reason: 'error: llm' });
    await call(who, 30, { status: 'canceled', ...unconnected, hangup_reason: 'canceled' });
    await call(who, 0.1, { status: 'in-progress', ended_at: null, completed_at: null });
    await call(who, 24 * 30);
    await call(await api.newWorkspace(), 1);

    const { status, body } = await who.send('GET', '/observability/summary');
    expect(status).toBe(200);
    expect(body.currency).toBe('INR');
    expect(body.totals).toEqual({
      ...{ calls: 7, connected: 4, completed: 2, failed: 1, no_answer: 1, busy: 1, canceled: 1, voicemail: 1 },
      ...{ answer_rate: 0.6667, avg_duration_seconds: 34, first_audio_p50_ms: 500, first_audio_p95_ms: 700 },
      cost_paise: 750,
    });
    expect(body.items.map(({ day, calls }: { day: string; calls: number }) => [day, calls])).toEqual([
      ['2026-01-09', 0],
      ['2026-01-10', 0],
      ['2026-01-11', 0],
      ['2026-01-12', 0],
      ['2026-01-13', 0],
      ['2026-01-14', 3],
      ['2026-01-15', 4],
    ]);
    expect(body.items[0]).toMatchObject({ answer_rate: 0, avg_duration_seconds: 0, first_audio_p50_ms: null });
    expect(body.items[6]).toMatchObject({ first_audio_p50_ms: 500, cost_paise: 750 });
    expect(body.hangup_reasons[0]).toEqual({ reason: 'caller hung up', count: 2 });
    expect(body.hangup_reasons).toHaveLength(5);

    const utc = await who.send('GET', '/observability/summary?timezone=UTC');
    expect(utc.body.items.at(-1)).toMatchObject({ day: '2026-01-15', calls: 4 });
    const ofAgent = await who.send('GET', `/observability/summary?agent_id=${agent_id}`);
    expect(ofAgent.body.totals).toMatchObject({ calls: 1, completed: 1, cost_paise: 500 });
  });

  it("counts by the hour of the zone's clock too", async () => {
    const who = await api.newWorkspace();
    await call(who, 0.5);
    await call(who, 1.2);
    const since = new Date(NOW_MS - 3 * HOUR_MS).toISOString();
    const items = async (zone: string) => {
      const { body } = await who.send('GET', `/observability/summary?bucket=hour&since=${since}&timezone=${zone}`);
      return body.items.map(({ day, calls }: { day: string; calls: number }) => `${day} ${calls}`);
    };
    expect(await items('Asia/Kolkata')).toEqual([
      '2026-01-15T09:00:00+05:30 0',
      '2026-01-15T10:00:00+05:30 1',
      '2026-01-15T11:00:00+05:30 1',
    ]);
    expect(await items('UTC')).toEqual([
      '2026-01-15T03:00:00+00:00 0',
      '2026-01-15T04:00:00+00:00 0',
      '2026-01-15T05:00:00+00:00 1',
      '2026-01-15T06:00:00+00:00 1',
    ]);
  });

  it('has every day once when daylight saving time begins or ends', async () => {
    const who = await api.newWorkspace();
    const days = async (zone: string, query: string) => {
      const { body } = await who.send('GET', `/observability/summary?timezone=${zone}&${query}`);
      return body.items.map(({ day }: { day: string }) => day.slice(5));
    };
    const query = 'since=2025-10-24T12:00&until=2025-10-28T00:00';
    expect(await days('Europe/Berlin', query)).toEqual(['10-24', '10-25', '10-26', '10-27']);
    const spring = 'since=2025-03-28T00:00&until=2025-03-31T00:00:01';
    expect(await days('Europe/Berlin', spring)).toEqual(['03-28', '03-29', '03-30', '03-31']);
  });

  it.each([
    ['since=2026-01-02&until=2026-01-02', 'the period ends before it begins'],
    ['since=2020-01-01', 'the period has more than 366 days'],
    ['bucket=hour&since=2025-10-01', 'the period has more than 744 hours'],
    ['bucket=minute', "Input should be 'day' or 'hour'"],
  ])('rejects %s', async (query, msg) => {
    const who = await api.newWorkspace();
    const { status, body } = await who.send('GET', `/observability/summary?${query}`);
    expect([status, body.detail[0].msg]).toEqual([422, msg]);
  });
});

it('live calls and the queue are listed', async () => {
  const who = await api.newWorkspace();
  const empty = await who.send('GET', '/observability/live');
  expect(empty.body).toEqual({
    ...{ concurrency_limit: 5, active_calls: 0, queued_calls: 0, oldest_queued_at: null, calls: [], queue: [] },
  });
  const live = { completed_at: null, ended_at: null };
  const talking = await call(who, 0.2, { ...live, status: 'in-progress' });
  const ringing = await call(who, 0.1, { ...live, status: 'ringing', started_at: null });
  const { id: agent_id } = (await who.send('POST', '/agents', { name: 'Asha' })).body;
  const queued = { ...live, status: 'queued', started_at: null, agent_id };
  const [second, first] = [await call(who, 1, queued), await call(who, 2, queued)];
  await call(who, 3);
  const { status, body } = await who.send('GET', '/observability/live');
  expect(status).toBe(200);
  expect(body).toMatchObject({ concurrency_limit: 5, active_calls: 2, queued_calls: 2 });
  expect(body.oldest_queued_at).toBe('2026-01-15T10:00:00+05:30');
  expect(body.calls.map(({ id }: { id: string }) => id)).toEqual([ringing, talking]);
  expect(body.calls[0]).toEqual({
    ...{
      id: ringing,
      agent_id: null,
      agent_name: 'Asha',
      direction: 'outbound',
      channel: 'phone',
      batch_id: null,
      provider: 'twilio',
    },
    ...{ to_number: '+912', from_number: '+911', status: 'ringing', started_at: null },
  });
  expect(body.queue.map(({ id }: { id: string }) => id)).toEqual([first, second]);
  expect(body.queue[0]).toEqual({
    ...{ id: first, agent_id, agent_name: 'Asha', to_number: '+912', from_number: '+911', batch_id: null },
    ...{ started_by: 'x', queued_at: '2026-01-15T10:00:00+05:30' },
  });
});
