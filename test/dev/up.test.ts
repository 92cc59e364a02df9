import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { afterEach, expect, it } from 'vitest';
import type { StackState } from '../../dev/data-folder.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { copyPreparedPostgres } from '../support/prepared-postgres.ts';
import { until } from '../support/until.ts';

const UP = fileURLToPath(new URL('../../dev/up.ts', import.meta.url));
const OPERATOR = fileURLToPath(new URL('../../operator', import.meta.url));
const homes: string[] = [];
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

function newHome(): string {
  const home = makeFastFolder('antiphon-up-');
  homes.push(home);
  return home;
}

/** As after a first start: a database that is migrated, without a workspace. */
async function preparedHome(): Promise<string> {
  const home = newHome();
  await copyPreparedPostgres(join(home, 'postgres'));
  return home;
}

interface Running {
  process: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
}

function up(home: string, settings: Record<string, string> = {}): Running {
  const ports = { API_PORT: '0', MEDIA_PORT: '0' };
  const env = { ...process.env, ANTIPHON_HOME: home, ...ports, BROWSER_CALLS: 'off', ...settings };
  const child = spawn(process.execPath, [UP], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, output: () => output, exit };
}

async function whenReady(home: string, running: Running): Promise<StackState> {
  const file = join(home, 'state.json');
  await until(() => existsSync(file) || running.process.exitCode !== null, 'state.json', 60_000);
  if (!existsSync(file)) throw new Error(`it did not start:\n${running.output()}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function operator(home: string, ...args: string[]) {
  const env = { ...process.env, ANTIPHON_HOME: home };
  return spawnSync(OPERATOR, args, { env, encoding: 'utf8', timeout: 60_000 });
}

function alive(state: StackState): string[] {
  return Object.entries(state.pids).flatMap(([name, pid]) => {
    try {
      process.kill(pid, 0);
      return [name];
    } catch {
      return [];
    }
  });
}

it('serves, locks its home folder, and stops all programs on Ctrl-C', async () => {
  const home = newHome();
  const running = up(home);
  const state = await whenReady(home, running);
  expect(alive(state).toSorted()).toEqual(['control', 'media', 'nats', 'postgres', 'supervisor']);
  expect(statSync(join(home, 'state.json')).mode & 0o077).toBe(0);
  const agents = await fetch(`${state.api_url}/api/v1/agents`, {
    headers: { authorization: `Bearer ${state.api_key}` },
  });
  expect(await agents.json()).toEqual([
    expect.objectContaining({
      id: state.example_agent_id,
      name: 'Example: restaurant table (scripted, no model key set)',
      welcome_message: expect.stringContaining('Lotus Garden'),
    }),
  ]);
  await until(() => running.output().includes('Ctrl-C stops it'), 'the addresses');
  expect(running.output()).toContain(`/agents/${state.example_agent_id}`);
  expect((await fetch(`${state.media_url}/readyz`)).status).toBe(200);
  // The first user's email is in this home folder.
  const letters = () => (existsSync(join(home, 'mail')) ? readdirSync(join(home, 'mail')) : []);
  await until(() => letters().some((name) => name.endsWith('.txt')), 'the letter of the first user', 60_000);

  // The operator's command line finds the running database.
  expect(operator(home, 'coupon', 'list', '--json')).toMatchObject({ status: 0, stdout: '[]\n' });

  const second = up(home);
  expect(await second.exit).toBe(1);
  expect(second.output()).toContain(`already runs in ${home}`);
  expect(alive(state)).toHaveLength(5);

  running.process.kill('SIGINT');
  expect(await running.exit).toBe(0);
  expect(alive(state)).toEqual([]);
  expect(existsSync(join(home, 'state.json'))).toBe(false);
  const result = operator(home, 'coupon', 'list');
  expect([result.status, result.stderr]).toEqual([1, expect.stringContaining('start it with `make up`')]);
});

it('leaves no program running when it is killed, starts again, and stops all when one fails, with its name', async () => {
  const home = await preparedHome();
  // Less to start; the first test has the processes of a real start.
  const settings = { API_PROCESSES: '0' };
  const killed = up(home, settings);
  const before = await whenReady(home, killed);
  killed.process.kill('SIGKILL');
  await killed.exit;
  await until(() => alive(before).length === 0, 'the end of every program');

  // It starts again, even when the previous one was interrupted between creating its user and storing it.
  rmSync(join(home, 'first-user.json'));
  // Of the killed one: the next file is the next one's.
  rmSync(join(home, 'state.json'));
  const again = up(home, settings);
  const state = await whenReady(home, again);
  await until(() => again.output().includes('sign in as owner@example.com'), 'the address of its user');
  process.kill(state.pids.media!, 'SIGKILL');
  expect(await again.exit).toBe(1);
  expect(again.output()).toContain('media was ended by SIGKILL');
  expect(alive(state)).toEqual([]);
});

it("its bus has users with keys of its own, whatever the shell's settings of another bus are", async () => {
  const home = await preparedHome();
  const shell = {
    NATS_USER: 'somebody',
    NATS_TOKEN: '',
    NATS_CREDENTIALS: '/nowhere',
    NATS_NAME: 'else',
    NATS_CREDS: 'x',
  };
  const running = up(home, { ...shell, API_PROCESSES: '0' });
  await whenReady(home, running);
  const { nats } = JSON.parse(readFileSync(join(home, 'ports.json'), 'utf8'));
  const stranger = { servers: `127.0.0.1:${nats}`, reconnect: false };
  await expect(connect(stranger)).rejects.toThrow('Authorization Violation');
  running.process.kill('SIGINT');
  expect(await running.exit).toBe(0);
});
