import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManagedServer } from '../../dev/managed-server.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { startTestNats } from '../support/nats.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-main-'));
let postgres: ManagedServer;
let nats: ManagedServer;
let env: Record<string, string>;
const started: Program[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), unsafeButFast: true });
  env = {
    PATH: process.env.PATH ?? '',
    // What the tests have compiled before.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    NODE_OPTIONS: process.env.NODE_OPTIONS ?? '',
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    OPENAI_API_KEY: 'simulated',
    RECORDINGS_DIR: folder,
    // Several processes have tests of their own.
    ...{ API_PORT: '0', API_PROCESSES: '0' },
  };
});
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Program {
  child: ChildProcess;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stdout(): string;
}

function run(file: string, args: string[] = [], settings: Record<string, string> = env): Program {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    cwd: ROOT,
    env: settings,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  const program = { child, ended, stdout: () => stdout };
  started.push(program);
  return program;
}

const operator = (...args: string[]) => run('control/operator.ts', args).ended;

async function startControl() {
  const program = run('control/main.ts');
  const line = () =>
    program
      .stdout()
      .split('\n')
      .find((each) => each.includes('control is ready'));
  await expect.poll(line).toBeDefined();
  const url = `http://127.0.0.1:${JSON.parse(line()!).port}`;
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  return { ...program, url, ready };
}

/** Said while no operator has a key. */
const NAMELESS = /^nobody has a key yet: this runs as "operator \([^)]*\)"; [^\n]+\n/;

describe('the process', () => {
  it('names all wrong settings in one error', async () => {
    const wrong = {
      API_PORT: 'seven',
      PUBLIC_API_URL: 'voice.example.com',
      PUBLIC_MEDIA_URL: 'https://voice.example.com',
    };
    const { code, stderr } = await run('control/main.ts', [], { PATH: env.PATH!, ...wrong }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^control cannot start: invalid or missing settings:/);
    expect(stderr).toContain('  PUBLIC_API_URL: is an address such as https://voice.example.com\n');
    for (const name of ['API_PORT', 'PUBLIC_MEDIA_URL', 'DATABASE_URL', 'MEDIA_TOKEN_SECRET', 'RECORDINGS_DIR']) {
      expect(stderr).toContain(`  ${name}: `);
    }
  });

  it('does not start without a key for its secrets where other machines reach it', async () => {
    const { code, stderr } = await run('control/main.ts', [], { ...env, API_HOST: '0.0.0.0' }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^control cannot start: SECRETS_KEY is missing.*openssl rand -base64 32/);
  });

  it('does not start before the database is migrated, and says by which command', async () => {
    const { code, stdout } = await run('control/main.ts').ended;
    expect(code).toBe(3);
    expect(stdout).toContain('from 0001_ground.sql on: run `node control/operator.ts migrate` first');
    const refused = await operator('workspace', 'list');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('operator.ts migrate` first')]);
    expect(await operator('migrate')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^applied 0001_ground.sql$/m),
    });
    expect(await operator('migrate')).toMatchObject({ code: 0, stdout: 'nothing to apply\n' });
  });

  it('does not start with a carrier that could not call back', async () => {
    const settings = { ...env, TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't' };
    const { code, stdout } = await run('control/main.ts', [], settings).ended;
    expect(code).toBe(1);
    expect(stdout).toContain('PUBLIC_API_URL is missing: twilio must be told where to call back');
  });

  it('does not wait for a database that refuses it', async () => {
    const settings = { ...env, DATABASE_URL: postgres.url.replace(/[^/]*$/, 'nowhere') };
    const { code, stdout } = await run('control/main.ts', [], settings).ended;
    expect(code).toBe(1);
    expect(stdout).toContain('the database refused the connection: database \\"nowhere\\" does not exist');
  });

  it('waits for a bus that starts after it, survives restarts of PostgreSQL and NATS, and stops on SIGTERM', async () => {
    await nats.stop();
    const starting = startControl();
    await expect.poll(() => started.at(-1)!.stdout()).toContain('waiting for the bus');
    await nats.restart();
    const control = await starting;
    await expect.poll(control.ready).toBe(200);
    await postgres.stop();
    expect(await control.ready()).toBe(503);
    await postgres.restart();
    await expect.poll(control.ready).toBe(200);
    await nats.stop();
    await expect.poll(control.ready).toBe(503);
    await nats.restart();
    await expect.poll(control.ready).toBe(200);

    control.child.kill('SIGTERM');
    const { code, stderr, stdout } = await control.ended;
    expect([code, stderr], stdout).toEqual([0, '']);
    await expect(fetch(`${control.url}/healthz`)).rejects.toThrow();
  });
});

describe("the operator's command line", () => {
  it('creates a workspace with a working key, and connects a number', async () => {
    const made = JSON.parse((await operator('workspace', 'create', 'Acme', '--json')).stdout);
    const control = await startControl();
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${control.url}/api/v1${path}`, {
        method,
        headers: { 'X-API-Key': made.api_key, 'Content-Type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return answer.json() as Promise<{ id: string; phone_number: string }>;
    };
    const agent = await call('POST', '/agents', { name: 'Asha' });
    const added = ['number', 'add', '+911234567890', '--workspace', made.workspace_id, '--provider', 'twilio'];
    expect(await operator(...added)).toMatchObject({ code: 0, stderr: expect.stringMatching(NAMELESS) });
    expect(await operator('number', 'connect', '+911234567890', '--agent', agent.id)).toMatchObject({ code: 0 });
    expect((await call('GET', `/agents/${agent.id}`)).phone_number).toBe('+911234567890');
    control.child.kill('SIGINT');
    expect((await control.ended).code).toBe(0);
  });

  it('prints its help', async () => {
    expect((await operator('--help')).stdout).toContain('number connect NUMBER --agent ID');
    expect(await operator()).toMatchObject({ code: 2 });
    expect(await operator('dance')).toMatchObject({ code: 2, stderr: 'unknown command "dance"; --help lists all\n' });
    expect(await operator('kyc', 'list', '--noisy')).toMatchObject({
      code: 2,
      stderr: "Unknown option '--noisy'; --help shows what each command takes\n",
    });
    const nowhere = { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    expect(await run('control/operator.ts', ['kyc', 'list'], nowhere).ended).toMatchObject({
      code: 1,
      stderr: 'the database does not answer (ECONNREFUSED): is it running, and is DATABASE_URL its address?\n',
    });
    const adding = await operator('number', 'add', '123', '--workspace', 'x', '--provider', 'pigeon');
    expect(adding.stderr.replace(NAMELESS, '')).toBe(
      '--provider is one of twilio, plivo, telnyx, exotel, vonage, asterisk\n',
    );
  });
});
