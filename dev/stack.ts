import { setTimeout as sleep } from 'node:timers/promises';
import { accountsOf } from '../control/operators/carrier-accounts.ts';
import { migrateDatabase } from '../control/operators/migrations.ts';
import { type BusFiles, writeBusKeys } from '../shared/bus/bus-keys.ts';
import { BUS_SETTINGS } from '../shared/bus/settings.ts';
import { CARRIER_NAMES } from '../shared/carriers/registry.ts';
import { TLS_SETTINGS } from '../shared/tls-certificate.ts';
import { type Child, startProgram } from './child.ts';
import { type Home, newSecret, openHome, type StackState } from './data-folder.ts';
import { startNats } from './nats.ts';
import { freePort, portIsFree } from './ports.ts';
import { startPostgres } from './postgres.ts';

export interface StackOptions {
  home: string;
  /** 0: a free port. */
  apiPort: number;
  mediaPort: number;
  /** Further settings of control and media, which override the environment. */
  settings?: (addresses: { apiUrl: string; mediaUrl: string }) => Record<string, string>;
  /** Called with one line per step. */
  onProgress: (line: string) => void;
  /** Aborts the start and stops what was started. */
  signal?: AbortSignal;
}

export interface Stack {
  home: Home;
  /** `http://127.0.0.1:<port>` */
  apiUrl: string;
  mediaUrl: string;
  databaseUrl: string;
  /** The users of the bus, each with its key. */
  bus: BusFiles;
  recordingsDir: string;
  /** The carriers with an account. */
  carriers: StackState['carriers'];
  pids: StackState['pids'];
  /** Resolves with an error text when a program exits unexpectedly. */
  failed: Promise<string>;
  /** Stops media, control, NATS, PostgreSQL in this order, each with a deadline. Idempotent. */
  stop(): Promise<void>;
}

/** The bus is the stack's own and its addresses have no TLS: what the shell has for others must not reach the programs. */
const NOT_OF_THE_SHELL = [
  ...Object.keys(BUS_SETTINGS).filter((name) => name.startsWith('NATS_')),
  ...Object.keys(TLS_SETTINGS),
];
const LEFT_OUT = Object.fromEntries(NOT_OF_THE_SHELL.map((name) => [name, undefined]));
const ENGINES_USER = 'engine';
const SHOWN_LINES = 12;
/** A stack may be longer than what is shown, and would hide the error above it. */
const READ_LINES = 60;
const STACK_FRAME = /^ +at /;
const READY_DEADLINE_MS = 120_000;
/** In addition to media's own drain time. */
const MEDIA_STOP_MARGIN_MS = 10_000;
const CONTROL_STOP_DEADLINE_MS = 15_000;

/** A process of the stack. */
interface StackPart {
  name: string;
  running(): boolean;
  exited(): Promise<string>;
  tail(lines?: number): string;
  stop(): Promise<void>;
}

/** Starts the whole service on one machine. When a part does not start, stops the others and throws. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const home = await openHome(options.home);
  const parts: StackPart[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      home.removeState();
      for (const part of parts.toReversed()) await part.stop();
      await home.release();
    })();
    return stopping;
  };

  try {
    return await startParts(options, home, parts, stop, () => stopping !== undefined);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  { apiPort, mediaPort, settings, onProgress, signal }: StackOptions,
  home: Home,
  parts: StackPart[],
  stop: () => Promise<void>,
  isStopping: () => boolean,
): Promise<Stack> {
  const api = await choosePort('API_PORT', apiPort);
  const media = await choosePort('MEDIA_PORT', mediaPort);
  const apiUrl = `http://127.0.0.1:${api}`;
  const mediaUrl = `http://127.0.0.1:${media}`;

  onProgress('PostgreSQL ...');
  const postgres = await startPostgres({
    dataDir: home.postgres,
    port: await home.rememberedPort('postgres'),
    log: home.logFile('postgres'),
  });
  parts.push({ ...partOfServer('PostgreSQL', postgres), stop: postgres.stop });
  signal?.throwIfAborted();
  const applied = await migrateDatabase(postgres.url, onProgress);
  if (applied.length > 0) onProgress(`with ${applied.length} new migrations of the database`);
  onProgress('NATS ...');
  const bus = writeBusKeys({ folder: home.bus, engines: [ENGINES_USER], storeDir: home.nats });
  const nats = await startNats({
    dataDir: home.nats,
    port: await home.rememberedPort('nats'),
    log: home.logFile('nats'),
    config: bus.serverConfig,
  });
  parts.push({ ...partOfServer('NATS', nats), stop: nats.stop });

  const recordingsDir = process.env.RECORDINGS_DIR || home.recordings;
  const env: NodeJS.ProcessEnv = {
    // The inference library reports telemetry by default.
    ORT_DISABLE_TELEMETRY: '1',
    PUBLIC_API_URL: apiUrl,
    PUBLIC_MEDIA_URL: mediaUrl.replace('http', 'ws'),
    // A local stop should not wait long for calls in progress.
    DRAIN_SECONDS: '5',
    MAIL_DIR: home.mail,
    MEDIA_TOKEN_SECRET: await home.readOrCreate('media-token-secret', newSecret),
    SECRETS_KEY: await home.readOrCreate('secrets-key', newSecret),
    ...process.env,
    ...LEFT_OUT,
    API_PORT: String(api),
    MEDIA_PORT: String(media),
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    RECORDINGS_DIR: recordingsDir,
    ...settings?.({ apiUrl, mediaUrl }),
  };

  signal?.throwIfAborted();
  onProgress('control and media ...');
  const control = await startProgram('control', {
    env: { ...env, ...bus.control },
    logFile: home.logFile('control'),
  });
  parts.push({ ...partOfChild(control), stop: () => control.stop('SIGTERM', CONTROL_STOP_DEADLINE_MS) });
  // The keys of the database are not an engine's.
  const engine = await startProgram('media', {
    env: { ...env, ...bus.engines[0], SECRETS_KEY: undefined },
    logFile: home.logFile('media'),
  });
  const mediaStopMs = Number(env.DRAIN_SECONDS) * 1_000 + MEDIA_STOP_MARGIN_MS;
  parts.push({ ...partOfChild(engine), stop: () => engine.stop('SIGTERM', mediaStopMs) });
  await Promise.all([waitUntilReady(control, apiUrl, signal), waitUntilReady(engine, mediaUrl, signal)]);

  const broken = Promise.race(
    parts.map(async (part) => {
      const end = await part.exited();
      // A part that was stopped on purpose is no failure: the promise then never resolves.
      if (isStopping()) return new Promise<never>(() => {});
      return `${part.name} ${end}; end of its log:\n${readableLog(part.tail(READ_LINES))}`;
    }),
  );
  return {
    home,
    apiUrl,
    mediaUrl,
    databaseUrl: postgres.url,
    bus,
    recordingsDir,
    carriers: CARRIER_NAMES.filter(accountsOf(env)),
    pids: { supervisor: process.pid, postgres: postgres.pid, nats: nats.pid, control: control.pid, media: engine.pid },
    failed: broken,
    stop,
  };
}

async function choosePort(setting: string, wanted: number): Promise<number> {
  if (wanted === 0) return freePort();
  if (await portIsFree(wanted)) return wanted;
  throw new Error(`port ${wanted} is in use by another program: choose another one with ${setting}`);
}

/** Polls `/readyz` until it succeeds; throws when the program exits or on timeout. */
async function waitUntilReady(child: Child, url: string, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  while (child.running() && Date.now() < deadline) {
    signal?.throwIfAborted();
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    await response?.body?.cancel().catch(() => {});
    if (response?.ok) return;
    await sleep(50);
  }
  const reason = child.running()
    ? `was not ready after ${READY_DEADLINE_MS / 1_000} seconds`
    : `${await child.exited} while starting`;
  throw new Error(
    `${child.name} ${reason}; end of its log (${child.logFile}):\n${readableLog(child.tail(READ_LINES))}`,
  );
}

/** Formats the end of a log for the terminal: time, message, fields; the reason of a crash without its stack. */
export function readableLog(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !STACK_FRAME.test(line));
  return lines.slice(-SHOWN_LINES).map(readableLine).join('\n');
}

function readableLine(line: string): string {
  try {
    const { time, msg, level: _level, name: _name, ...facts } = JSON.parse(line);
    const rest = Object.entries(facts).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return ['  ', String(time).slice(11, 23), msg, ...rest].join(' ');
  } catch {
    return `   ${line}`;
  }
}

type Watchable = Pick<StackPart, 'running' | 'exited' | 'tail'>;

function partOfServer(name: string, server: Watchable): Omit<StackPart, 'stop'> {
  return { name, running: server.running, exited: server.exited, tail: server.tail };
}

function partOfChild(child: Child): Omit<StackPart, 'stop'> {
  return { name: child.name, running: child.running, exited: () => child.exited, tail: child.tail };
}
