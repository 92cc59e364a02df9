import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../../dev/ports.ts';
import { afterFile } from '../support/after-file.ts';
import { startTestNats } from '../support/nats.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { eventually, until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WITHIN_MS = 120_000;

let settings: Record<string, string | undefined>;

beforeAll(async () => {
  const [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  settings = {
    ...process.env,
    ...{ DATABASE_URL: database.url, NATS_URL: nats.url, API_PORT: '0' },
    ...{ MEDIA_TOKEN_SECRET: 'a secret of the tests', OPENAI_API_KEY: 'simulated', RECORDINGS_DIR: '/nowhere' },
  };
});

interface Program {
  child: ChildProcess;
  ended: Promise<number | null>;
  stdout(): string;
}

function run(own: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'control/main.ts'], {
    ...{ cwd: ROOT, env: { ...settings, ...own }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  let stdout = '';
  child.stdout!.on('data', (part) => {
    stdout += part;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  afterFile(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, stdout: () => stdout };
}

async function startControl(own: Record<string, string> = {}) {
  const program = run(own);
  const line = await eventually('control to be ready', WITHIN_MS, async () => {
    return program
      .stdout()
      .split('\n')
      .find((each) => each.includes('control is ready'));
  });
  const { port } = JSON.parse(line) as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const get = async (path: string) => (await fetch(url + path)).text();
  return { ...program, port, get, apiProcess: () => childOf(program.child.pid!) };
}

/** One that is still busy with its start is left out at first. */
const metricsOfBoth = (metrics: () => Promise<string>) =>
  eventually('the metrics of both processes', WITHIN_MS, async () => {
    const text = await metrics();
    const isOf = (name: string) => text.includes(`\nnodejs_eventloop_lag_p99_seconds{process="${name}"} `);
    const hasSwept = text.includes('\nantiphon_job_success_age_seconds{job="reaper",process="calls"} ');
    return isOf('calls') && isOf('api-1') && hasSwept ? text : null;
  });

const untilAnswers = (ask: () => Promise<string>, answer: string) =>
  eventually(answer, WITHIN_MS, async () => (await ask()) === answer || null);

/** The only one (proc(5)). */
const childOf = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

it('both processes are in the metrics; one for the API that is killed is started again at its address, and drains at the end', async () => {
  const control = await startControl();
  const text = await metricsOfBoth(() => control.get('/metrics'));
  for (const series of ['process_start_time_seconds', 'antiphon_bus_connected', 'nodejs_eventloop_lag_p99_seconds']) {
    for (const name of ['calls', 'api-1']) expect(text).toMatch(new RegExp(`^${series}{process="${name}"} `, 'm'));
  }
  expect(text).toMatch(/^antiphon_job_success_age_seconds{job="reaper",process="calls"} /m);
  expect(text).not.toMatch(/^antiphon_job_\w+{.*process="api-1"}/m);
  expect(text).toContain('antiphon_database_connections_max{pool="ingest",process="calls"} 4\n');
  await untilAnswers(() => control.get('/readyz'), '{"status":"ready"}');

  const first = control.apiProcess();
  // It gives way to calls.
  expect(getPriority(first) - getPriority(control.child.pid)).toBe(10);
  process.kill(first, 'SIGKILL');
  await eventually('another process', WITHIN_MS, async () => control.get('/healthz').catch(() => null));
  expect(control.apiProcess()).not.toBe(first);
  expect(control.child.exitCode).toBeNull();

  const request = connect(control.port, '127.0.0.1').setEncoding('utf8');
  const body = '{"email":"asha@example.com","password":"wrong"}';
  request.write(
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  // Answered when the request before it is read.
  await control.get('/healthz');
  control.child.kill('SIGTERM');
  await until(() => /api-1.*is stopping/.test(control.stdout()), 'the API to stop', WITHIN_MS);
  request.write(body);
  const [response] = await once(request, 'data');
  expect(response).toMatch(/^HTTP\/1.1 4\d\d /);
  expect(await control.ended).toBe(0);
});

it('processes for the API end with the one that started them; where they cannot listen, control does not start', async () => {
  const control = await startControl();
  const second = run({ API_PORT: String(control.port) });
  expect(await second.ended).toBe(1);
  expect(second.stdout()).toContain('EADDRINUSE');

  control.child.kill('SIGKILL');
  // Its output closes when the last process that has it is gone.
  await control.ended;
  await expect(control.get('/healthz')).rejects.toThrow();
});

it.each(['1', '0'])(
  'metrics have an address of their own, and are on no other, with %s processes for the API',
  async (count) => {
    const port = await freePort();
    const control = await startControl({ METRICS_PORT: String(port), API_PROCESSES: count });
    const own = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const metrics = async () => (await own('/metrics')).text();
    const text = await (count === '1' ? metricsOfBoth(metrics) : metrics());
    const labels = count === '1' ? ['{process="calls"}', '{process="api-1"}'] : [''];
    for (const label of labels) expect(text).toContain(`\nprocess_start_time_seconds${label} `);
    await untilAnswers(async () => (await own('/readyz')).text(), 'ready\n');
    expect((await own('/api/v1/agents')).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${control.port}/metrics`)).status).toBe(404);
    await untilAnswers(() => control.get('/readyz'), '{"status":"ready"}');
    control.child.kill('SIGTERM');
    expect(await control.ended).toBe(0);
  },
);
