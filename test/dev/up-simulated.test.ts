import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, type CallRecord, createApiClient } from '../../dev/api-client.ts';
import type { StackState } from '../../dev/data-folder.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { copyPreparedPostgres } from '../support/prepared-postgres.ts';
import { eventually, until } from '../support/until.ts';

/** `make up SIMULATED=1` on a new folder, used as the quick start says. */

const UP = fileURLToPath(new URL('../../dev/up.ts', import.meta.url));
const CALLER = '+911140000001';
const NUMBER = '+911140000002';
const home = makeFastFolder('antiphon-simulated-');
let running: ChildProcess;
let state: StackState;
let api: ApiClient;
/** All calls at once: each takes as long as it is. */
let calls: { busy: string; placed: string; incoming: Response };

beforeAll(async () => {
  await copyPreparedPostgres(join(home, 'postgres'));
  const env = {
    ANTIPHON_HOME: home,
    API_PORT: '0',
    MEDIA_PORT: '0',
    CARRIER_PORT: '0',
    SIMULATED: '1',
    API_PROCESSES: '0',
  };
  running = spawn(process.execPath, [UP], {
    // A public address is for a real carrier; this one is on the machine.
    env: { ...process.env, ...env, BROWSER_CALLS: 'off', PUBLIC_API_URL: 'https://voice.example.com' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const file = join(home, 'state.json');
  await until(() => existsSync(file) || running.exitCode !== null, 'state.json', 90_000);
  state = JSON.parse(readFileSync(file, 'utf8'));
  api = createApiClient(state.api_url, state.api_key);
  const [busy, placed] = [await place('+919800000098'), await place('+919800000001')];
  calls = { busy, placed, incoming: await incoming() };
});

afterAll(async () => {
  if (running.exitCode === null) {
    const exit = new Promise((resolve) => running.once('close', resolve));
    running.kill('SIGINT');
    await exit;
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function place(to_number: string): Promise<string> {
  const placed = await fetch(`${state.api_url}/api/v1/agents/${state.example_agent_id}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${state.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to_number }),
  });
  expect(placed.status, await placed.clone().text()).toBe(201);
  return ((await placed.json()) as CallRecord).id;
}

const incoming = (body?: string) => fetch(state.carrier_calls_url!, { method: 'POST', ...(body ? { body } : {}) });

const LIVE = ['queued', 'ringing', 'in-progress', 'ended'];

const whenOver = (id: string) =>
  eventually(`the end of call ${id}`, 150_000, async () => {
    const call = await api.call(id).catch(() => null);
    return call === null || LIVE.includes(call.status) ? null : call;
  });

describe('a simulated carrier', () => {
  it('refuses what is no number', async () => {
    const refused = await incoming('{"to": "7"}');
    expect([refused.status, await refused.json()]).toEqual([422, { error: 'to: is a number such as +911140000002' }]);
    expect((await incoming('to=1')).status).toBe(400);
    expect((await fetch(state.carrier_calls_url!)).status).toBe(404);
  });

  it('has a number that is busy', async () => {
    expect(await whenOver(calls.busy)).toMatchObject({ status: 'busy', hangup_by: 'carrier' });
  });

  it('carries a call to somebody and one from somebody, each with timeline, recording and cost', async () => {
    expect(await calls.incoming.json()).toMatchObject({ to: NUMBER, from: CALLER });
    const received = await eventually('the call that came in', 60_000, async () => {
      const found = await api.calls(10).catch(() => null);
      return found?.items.find(({ direction }) => direction === 'inbound')?.id;
    });
    for (const id of [calls.placed, received]) {
      const call = await whenOver(id);
      const events = await eventually('its events', 60_000, () => api.events(id).catch(() => null));
      const types = events.map(({ type }) => type);
      expect(call, types.join(' ')).toMatchObject({ status: 'completed', recorded: true });
      expect(call.cost_paise).toBeGreaterThan(0);
      // How many turns are understood hangs on what else the machine does.
      expect(call.transcript.filter(({ role }) => role === 'user').length).toBeGreaterThan(1);
      expect(types).toEqual(expect.arrayContaining(['call.started', 'user.turn', 'agent.reply', 'call.completed']));
      const recordingBytes = () => api.recordingBytes(id).catch(() => null);
      expect(await eventually('its recording', 60_000, recordingBytes)).toBeGreaterThan(100_000);
    }
  });
});
