import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lastDays, latencyOf } from '../../../control/agents/latency.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let agentId: string;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
});

beforeEach(async () => {
  agentId = (await acme.send('POST', '/agents', { name: 'Asha' })).body.id;
});

interface Happened {
  type: string;
  latency_ms: number | null;
  data?: object;
}

/** A call that was answered at that time, or never, with these events on its timeline. */
async function addCall(started_at: string | null, events: Happened[], agent = agentId, by = acme): Promise<void> {
  const id = newId();
  const at = started_at ?? '2026-03-10T00:00:00Z';
  await api.sql`
    insert into calls (
      workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number,
      started_by, provider, created_at, queued_at, started_at, currency
    ) values (
      ${by.workspace_id}, ${id}, ${agent}, 'Asha', 1, 'outbound', 'phone', 'completed', '', '', '', 'twilio',
      ${at}, ${at}, ${started_at}, 'INR'
    )`;
  for (const [index, { type, latency_ms, data = {} }] of events.entries()) {
    await api.sql`
      insert into call_events (
        workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at
      ) values (
        ${by.workspace_id}, ${id}, ${index + 1}, ${newId()}, 'media', ${index + 1}, ${type}, '', 'info', ${latency_ms},
        ${api.sql.json(data as never)}, ${at}
      )`;
  }
}

const audio = (latency_ms: number, data: object = {}): Happened => ({ type: 'tts.first_audio', latency_ms, data });
const WALL_MS = Date.parse('2026-03-10T06:00:00Z');
const ask = (over: { days?: number; zone?: string } = {}) =>
  latencyOf(api.sql, {
    workspaceId: acme.workspace_id,
    agentId,
    days: 7,
    zone: 'Asia/Kolkata',
    wallMs: WALL_MS,
    ...over,
  });

describe('latency', () => {
  it('has percentiles per stage', async () => {
    await addCall('2026-03-10T05:00:00Z', [
      audio(900, { welcome: true }),
      ...Array.from({ length: 20 }, (_, n) => audio((n + 1) * 100, { parts: {} })),
      { type: 'llm.first_token', latency_ms: 300, data: { model_ms: 200 } },
      { type: 'llm.first_token', latency_ms: 500, data: { model_ms: 200 } },
      { type: 'tool.result', latency_ms: 1_500, data: { name: 'look_up', status: 200 } },
      { type: 'tool.result', latency_ms: 0, data: { name: 'transfer_call', status: 0 } },
      { type: 'user.turn', latency_ms: null },
      { type: 'kb.search', latency_ms: 40 },
    ]);
    expect(await ask()).toMatchObject({
      days: 7,
      calls: 1,
      turns: 20,
      first_audio_ms: { p50: 1_000, p90: 1_800, p95: 1_900 },
      llm_first_token_ms: { p50: 300, p90: 500, p95: 500 },
      welcome_ms: { p50: 900, p90: 900, p95: 900 },
      tool_ms: { p50: 1_500, p90: 1_500, p95: 1_500 },
    });
  });

  it('is null where nothing was measured', async () => {
    await addCall('2026-03-10T05:00:00Z', []);
    await addCall(null, []);
    const nothing = { p50: null, p90: null, p95: null };
    const { by_day, ...rest } = await ask({ days: 2 });
    expect(rest).toEqual({
      days: 2,
      calls: 1,
      turns: 0,
      first_audio_ms: nothing,
      llm_first_token_ms: nothing,
      welcome_ms: nothing,
      tool_ms: nothing,
    });
    expect(by_day).toEqual([
      { day: '2026-03-09', turns: 0, first_audio_p50_ms: null, first_audio_p95_ms: null },
      { day: '2026-03-10', turns: 0, first_audio_p50_ms: null, first_audio_p95_ms: null },
    ]);
  });

  it('counts days in the requested time zone', async () => {
    // 18:29 and 18:30 in UTC are the last minute of the 9th and the first of the 10th in India.
    await addCall('2026-03-09T18:29:59Z', [audio(100)]);
    await addCall('2026-03-09T18:30:00Z', [audio(200), audio(400), audio(600)]);
    const turns = async (zone: string) =>
      (await ask({ days: 2, zone })).by_day.map(({ day, turns, first_audio_p50_ms }) => [
        day,
        turns,
        first_audio_p50_ms,
      ]);
    expect(await turns('Asia/Kolkata')).toEqual([
      ['2026-03-09', 1, 100],
      ['2026-03-10', 3, 400],
    ]);
    expect(await turns('UTC')).toEqual([
      ['2026-03-09', 4, 200],
      ['2026-03-10', 0, null],
    ]);
    // It is still the 9th there.
    expect(await turns('America/Los_Angeles')).toEqual([
      ['2026-03-08', 0, null],
      ['2026-03-09', 4, 200],
    ]);
  });

  it('leaves out older calls, and includes the ninetieth day', async () => {
    await addCall('2026-03-09T18:29:59Z', [audio(100)]);
    await addCall('2026-03-09T18:30:00Z', [audio(200)]);
    await addCall('2025-12-11T00:00:00Z', [audio(300)]);
    expect(await ask({ days: 1 })).toMatchObject({ calls: 1, turns: 1, first_audio_ms: { p50: 200 } });
    const long = await ask({ days: 90 });
    expect([long.turns, long.by_day.length, long.by_day[0]]).toEqual([
      3,
      90,
      { day: '2025-12-11', turns: 1, first_audio_p50_ms: 300, first_audio_p95_ms: 300 },
    ]);
  });

  it('is of this agent and this workspace only', async () => {
    const other = await api.newWorkspace('Other');
    const second = (await acme.send('POST', '/agents', { name: 'Second' })).body.id;
    await addCall('2026-03-10T05:00:00Z', [audio(100)], second);
    await addCall('2026-03-10T05:00:00Z', [audio(100)], agentId, other);
    expect(await ask()).toMatchObject({ calls: 0, turns: 0 });
  });
});

describe('the endpoint', () => {
  it('takes 1 to 90 days, 7 by default', async () => {
    await addCall(new Date().toISOString(), [audio(100)]);
    const path = `/agents/${agentId}/latency`;
    const { status, body } = await acme.send('GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ days: 7, calls: 1, turns: 1, first_audio_ms: { p50: 100, p90: 100, p95: 100 } });
    expect(body.by_day).toHaveLength(7);
    expect((await acme.send('GET', `${path}?days=90&timezone=UTC`)).body.by_day).toHaveLength(90);
    for (const days of ['0', '91', 'x', '1.5']) {
      const refused = await acme.send('GET', `${path}?days=${days}`);
      expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['query', 'days']]);
    }
  });

  it('finds no agent of another workspace', async () => {
    const other = await api.newWorkspace('Stranger');
    const { status, body } = await other.send('GET', `/agents/${agentId}/latency`);
    expect([status, body]).toEqual([404, { detail: 'agent not found' }]);
  });
});

describe('the last days', () => {
  it('end today in the zone, across daylight saving time', () => {
    const wallMs = Date.parse('2026-03-30T23:30:00Z');
    expect(lastDays('Europe/Berlin', wallMs, 4)).toEqual(['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']);
    expect(lastDays('UTC', wallMs, 2)).toEqual(['2026-03-29', '2026-03-30']);
    expect(lastDays('Pacific/Kiritimati', wallMs, 1)).toEqual(['2026-03-31']);
  });
});
