import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '../../dev/child.ts';
import { startNats } from '../../dev/nats.ts';
import { freePort } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { eventually, GivenUp } from '../support/until.ts';
import { migratesAtStart, type PreviousProgram, previousProgram, ROOT } from './previous-program.ts';

/**
 * `make upgrade`: the previous release, which works, is brought up to this one. This program does not start on the old schema and
 * says why; after `operator migrate` the previous one goes on and starts again, or says which migration keeps it from that; this one has the calls
 * of the previous one. Then the core of the previous one's tests run on the new schema. Skips, with 0, in a clone without its
 * commit. PREVIOUS=commit names another one.
 */

const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
const NODE = ['--disable-warning=ExperimentalWarning'];
const say = (line: string) => console.log(line);

function check(truth: boolean, what: string): void {
  if (!truth) throw new Error(`not so: ${what}`);
  say(`  ${what}`);
}

/** A control program of one of the two folders, over one database. */
function programs(env: NodeJS.ProcessEnv, logs: string) {
  let started = 0;

  function run(folder: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [...NODE, ...args], { cwd: folder, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
  }

  return {
    operator: (folder: string, ...args: string[]) => run(folder, 'control/operator.ts', ...args),
    /** Until it exits. */
    control: (folder: string) => run(folder, 'control/main.ts'),
    /** Until it is ready. */
    async start(folder: string): Promise<{ child: Child; url: string }> {
      const port = await freePort();
      const child = await startChild({
        ...{ name: 'control', command: process.execPath, args: [...NODE, 'control/main.ts'], cwd: folder },
        ...{
          env: { ...env, API_PORT: String(port) },
          logFile: join(logs, `control-${++started}.log`),
          watchParent: true,
        },
      });
      const url = `http://127.0.0.1:${port}`;
      await eventually('control to be ready', START_WITHIN_MS, async () => {
        if (!child.running()) throw new GivenUp(`control ${await child.exited}:\n${child.tail()}`);
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        await answer?.body?.cancel();
        return answer?.ok ? true : null;
      });
      return { child, url };
    },
  };
}

interface Call {
  id: string;
  status: string;
  to_number: string;
  created_at: string;
}

const AGENT = {
  name: 'Asha',
  llm: { provider: 'openai' },
  voice: { provider: 'local' },
  transcriber: { provider: 'local' },
};
const [NUMBER, CALLED] = ['+911234567890', '+919876543210'];
const DAY_MS = 86_400_000;

/** A client of the workspace, whichever program answers. */
function client(api_key: string) {
  async function send<Body>(url: string, method: string, path: string, body?: object): Promise<Body> {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': api_key, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} responded ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
  return {
    agent: (url: string) => send<{ id: string }>(url, 'POST', '/agents', AGENT),
    /** A call of tomorrow: nobody is dialled here. */
    place: (url: string, agentId: string) =>
      send<Call>(url, 'POST', `/agents/${agentId}/call`, {
        to_number: CALLED,
        not_before: new Date(Date.now() + DAY_MS).toISOString(),
      }),
    hangUp: (url: string, id: string) => send<Call>(url, 'POST', `/calls/${id}/hangup`),
    calls: async (url: string) => (await send<{ items: Call[] }>(url, 'GET', '/calls')).items,
  };
}

async function upgrade(
  { folder, added, barrier }: PreviousProgram,
  env: NodeJS.ProcessEnv,
  logs: string,
): Promise<void> {
  const { operator, control, start } = programs(env, logs);
  say('the previous program on its own schema');
  if (!migratesAtStart(folder)) await operator(folder, 'migrate');
  const before = await start(folder);
  const running = [before.child];
  try {
    const made = JSON.parse(
      (await operator(folder, 'workspace', 'create', 'Acme', '--json')).output.trim().split('\n').at(-1)!,
    );
    const { agent, place, hangUp, calls } = client(made.api_key);
    const { id: agentId } = await agent(before.url);
    const number = ['add', NUMBER, '--workspace', made.workspace_id, '--provider', 'twilio', '--agent', agentId];
    await operator(folder, 'number', ...number);
    const placed = await place(before.url, agentId);
    await hangUp(before.url, (await place(before.url, agentId)).id);
    const known = await calls(before.url);
    check(known.length === 2, 'it places, lists and cancels calls');

    say('this program on the schema of the previous one');
    const early = added.length > 0 ? await control(ROOT) : null;
    if (!early) say('  it is the same schema');
    else
      check(
        early.code === 3 && early.output.includes('operator.ts migrate` first'),
        'it does not start, and says what to do',
      );

    if (barrier) await before.child.stop('SIGTERM', STOP_WITHIN_MS);
    const migrated = await operator(ROOT, 'migrate');
    check(migrated.code === 0, `operator migrate: ${migrated.output.trim().split('\n').length} migrations`);

    say('the previous program on the new schema');
    if (!barrier) {
      await hangUp(before.url, (await place(before.url, agentId)).id);
      check(true, 'it goes on: places, lists and cancels calls');
    }
    if (barrier || (migratesAtStart(folder) && added.length > 0)) {
      const refused = await control(folder);
      const said = refused.output.includes('the database is newer than this program');
      check(
        refused.code !== 0 && said,
        `it does not start, ${barrier ? `by ${barrier.name}` : 'as no program of its time on a newer schema'}`,
      );
    } else {
      running.push((await start(folder)).child);
      check(true, 'it starts again');
    }

    say('this program on the new schema');
    const now = await start(ROOT);
    running.push(now.child);
    const found = await calls(now.url);
    const same = known.every((call) => found.some((each) => isSame(each, call)));
    check(same, 'it has the calls of the previous one');
    check((await hangUp(now.url, placed.id)).status === 'canceled', 'it cancels one of them');
    check((await place(now.url, agentId)).status === 'queued', 'it places calls');
  } finally {
    await Promise.all(running.map((child) => child.stop('SIGTERM', STOP_WITHIN_MS)));
  }
}

const isSame = (one: Call, other: Call) =>
  (['id', 'status', 'to_number', 'created_at'] as const).every((field) => one[field] === other[field]);

/** Runs the core of its tests where its programs run. @returns whether they passed. */
function testsOnNewSchema({ folder, tests, barrier }: PreviousProgram): boolean {
  if (barrier) {
    say(`its tests do not run on the new schema, by ${barrier.name}`);
    return true;
  }
  say('tests of the previous program on the new schema');
  const config = join(ROOT, 'test/upgrade/previous-tests-config.ts');
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--config', config, ...tests];
  return spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' }).status === 0;
}

async function main(): Promise<number> {
  const previous = await previousProgram();
  if (typeof previous === 'string') {
    say(`skipped: ${previous}`);
    return 0;
  }
  const home = mkdtempSync(join(tmpdir(), 'antiphon-upgrade-'));
  const postgres = await startPostgres({ dataDir: join(home, 'postgres'), unsafeButFast: true });
  const nats = await startNats({ dataDir: join(home, 'nats') });
  try {
    const settings = {
      ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, RECORDINGS_DIR: home, MAIL_DIR: home, API_PORT: '0' },
      ...{ MEDIA_TOKEN_SECRET: 'a secret of the tests', OPENAI_API_KEY: 'simulated', LOG_LEVEL: 'info' },
    };
    await upgrade(previous, { PATH: process.env.PATH, ...settings }, home);
    return testsOnNewSchema(previous) ? 0 : 1;
  } finally {
    await nats.stop();
    await postgres.stop();
    previous.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

process.exitCode = await main();
