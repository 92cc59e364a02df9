import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startProgram } from '../../dev/child.ts';
import { startNats } from '../../dev/nats.ts';
import { freePort } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { copyPreparedPostgres } from '../support/prepared-postgres.ts';
import { eventually, GivenUp } from '../support/until.ts';

/** The programs of the service, each of which can be killed and restarted, or stand still for a while. */
export interface CrashStack {
  apiUrls: string[];
  /** `http://127.0.0.1:<port>` */
  mediaUrl: string;
  databaseUrl: string;
  natsUrl: string;
  /** The folders of the servers, `postgres` and `nats`, and that of the recordings. */
  home: string;
  /** `kill -9`; resolves when it has exited. */
  kill(victim: Victim): Promise<void>;
  /** Restarts a killed program; resolves when it is ready. */
  revive(victim: Victim): Promise<void>;
  /** SIGSTOP, to all processes of the program. */
  freeze(victim: Victim): void;
  /** SIGCONT. */
  thaw(victim: Victim): void;
  /** Returns the end of a program's log. */
  tail(victim: Victim, lines?: number): string;
  stop(): Promise<void>;
}

export const VICTIMS = ['control-1', 'control-2', 'media', 'nats', 'postgres'] as const;
/** `media-2` where two engines were asked for. */
export type Victim = (typeof VICTIMS)[number] | 'media-2';
type Program = Exclude<Victim, 'nats' | 'postgres'>;

const READY_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 20_000;
const MAX_LAUNCHES = 5;

/** Starts two control processes and one media process, or two, on free ports with the given settings. */
export async function startCrashStack(
  settings: Record<string, string>,
  ca: string,
  { engines = 1 }: { engines?: 1 | 2 } = {},
): Promise<CrashStack> {
  const home = mkdtempSync(join(tmpdir(), 'antiphon-crash-'));
  mkdirSync(join(home, 'recordings'));
  const authority = join(home, 'authority.pem');
  writeFileSync(authority, ca);
  const logFile = (name: string) => join(home, `${name}.log`);
  await copyPreparedPostgres(join(home, 'postgres'));
  const postgres = await startPostgres({ dataDir: join(home, 'postgres'), log: logFile('postgres') });
  const nats = await startNats({ dataDir: join(home, 'nats'), log: logFile('nats') });
  const ports: Record<Program, number> = {
    ...{ 'control-1': await freePort(), 'control-2': await freePort() },
    ...{ media: await freePort(), 'media-2': await freePort() },
  };
  const apiUrl = (name: 'control-1' | 'control-2') => `http://127.0.0.1:${ports[name]}`;
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ORT_DISABLE_TELEMETRY: '1',
    NODE_EXTRA_CA_CERTS: authority,
    PUBLIC_API_URL: apiUrl('control-1'),
    PUBLIC_MEDIA_URL: `ws://127.0.0.1:${ports.media}`,
    MEDIA_TOKEN_SECRET: randomBytes(32).toString('base64url'),
    DRAIN_SECONDS: '5',
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    RECORDINGS_DIR: join(home, 'recordings'),
    MAIL_DIR: join(home, 'mail'),
    LOG_LEVEL: 'info',
    ...settings,
  };
  const programs = new Map<Program, Child>();

  async function start(name: Program): Promise<void> {
    const isControl = name === 'control-1' || name === 'control-2';
    const port = String(ports[name]);
    const ownUrl = engines > 1 ? { PUBLIC_ENGINE_URL: `ws://127.0.0.1:${port}` } : {};
    const launch = async () => {
      const child = await startProgram(isControl ? 'control' : 'media', {
        name,
        env: { ...env, ...(isControl ? { API_PORT: port } : { API_PORT: '0', MEDIA_PORT: port, ...ownUrl }) },
        logFile: logFile(name),
      });
      programs.set(name, child);
      return child;
    };
    let child = await launch();
    let launches = 1;
    await eventually(`${name} to be ready`, READY_WITHIN_MS, async () => {
      if (!child.running()) {
        // Without the bus or the database for 30 seconds it ends, and `compose.yaml` starts it again.
        if (launches++ === MAX_LAUNCHES) throw new GivenUp(`${name} ${await child.exited}:\n${child.tail()}`);
        child = await launch();
      }
      const answer = await fetch(`http://127.0.0.1:${ports[name]}/healthz`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null);
      await answer?.body?.cancel();
      return answer?.ok ? true : null;
    });
  }

  await start('control-1');
  await start('control-2');
  await start('media');
  if (engines > 1) await start('media-2');
  const pidOf = (victim: Victim) =>
    victim === 'nats' ? nats.pid : victim === 'postgres' ? postgres.pid : programs.get(victim)!.pid;

  return {
    apiUrls: [apiUrl('control-1'), apiUrl('control-2')],
    mediaUrl: `http://127.0.0.1:${ports.media}`,
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    home,
    async kill(victim) {
      const target = victim === 'nats' ? nats : victim === 'postgres' ? postgres : programs.get(victim)!;
      process.kill(target.pid, 'SIGKILL');
      await (typeof target.exited === 'function' ? target.exited() : target.exited);
    },
    async revive(victim) {
      if (victim === 'nats') await nats.restart();
      else if (victim === 'postgres') await postgres.restart();
      else await start(victim);
    },
    freeze(victim) {
      // The parent first, so that it makes no further process.
      for (const pid of [pidOf(victim), ...childrenOf(pidOf(victim))]) signal(pid, 'SIGSTOP');
    },
    thaw(victim) {
      for (const pid of [...childrenOf(pidOf(victim)), pidOf(victim)]) signal(pid, 'SIGCONT');
    },
    tail: (victim, lines = 12) =>
      victim === 'nats' ? nats.tail() : victim === 'postgres' ? postgres.tail() : programs.get(victim)!.tail(lines),
    async stop() {
      await Promise.all([...programs.values()].map((child) => child.stop('SIGTERM', STOP_WITHIN_MS)));
      await nats.stop();
      await postgres.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL's processes lead groups of their own, so that their parent is what they have in common (proc(5), `stat`). */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, 'utf8') : '';
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent ? [Number(name)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
