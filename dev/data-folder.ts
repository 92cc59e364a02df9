import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { freePort, portIsFree } from './ports.ts';

/** The data folder of one running service. Services with different folders are independent. */
export interface Home {
  dir: string;
  postgres: string;
  nats: string;
  /** The keys of the bus's users, and the server's configuration. */
  bus: string;
  recordings: string;
  /** Emails, while no mail server is configured. */
  mail: string;
  /** `<name>.log`, one file per program. */
  logFile(name: string): string;
  /** Returns the stored value, or creates and stores it, readable by the owner only. */
  readOrCreate(name: string, make: () => string | Promise<string>): Promise<string>;
  /** Stores a value, readable by the owner only. */
  write(name: string, value: string): void;
  /** Returns the program's last port if it is still free, else a new one, which is stored. */
  rememberedPort(name: string): Promise<number>;
  writeState(state: StackState): void;
  removeState(): void;
  /** Releases the lock of the folder. */
  release(): Promise<void>;
}

/** `state.json`: addresses and keys of the running service, for scripts. */
export interface StackState {
  api_url: string;
  media_url: string;
  api_key: string;
  /** Contains the password: the file is readable by the owner only. */
  database_url: string;
  pids: Record<string, number>;
  /** The carriers with an account. */
  carriers: readonly string[];
  /** The agent that `make up` created, while it exists. */
  example_agent_id?: string;
  /** With `SIMULATED=1`: a POST here makes somebody call a number. */
  carrier_calls_url?: string;
}

/** Locks the folder; throws when another service runs in it. */
export async function openHome(folder: string): Promise<Home> {
  const dir = resolve(folder);
  mkdirSync(join(dir, 'logs'), { recursive: true, mode: 0o700 });
  const leave = await lockFolder(dir);
  const state = join(dir, 'state.json');
  rmSync(state, { force: true });
  return {
    dir,
    postgres: join(dir, 'postgres'),
    nats: join(dir, 'nats'),
    bus: join(dir, 'bus'),
    recordings: join(dir, 'recordings'),
    mail: join(dir, 'mail'),
    logFile: (name) => rotateLog(join(dir, 'logs', `${name}.log`)),
    async readOrCreate(name, make) {
      const file = join(dir, name);
      if (existsSync(file)) return readFileSync(file, 'utf8').trim();
      const value = await make();
      writeAtomically(file, `${value}\n`);
      return value;
    },
    write: (name, value) => writeAtomically(join(dir, name), `${value}\n`),
    async rememberedPort(name) {
      const file = join(dir, 'ports.json');
      const ports: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
      const last = ports[name];
      if (last && (await portIsFree(last))) return last;
      const port = await freePort();
      writeAtomically(file, `${JSON.stringify({ ...ports, [name]: port })}\n`);
      return port;
    },
    writeState: (value) => writeAtomically(state, `${JSON.stringify(value, null, 2)}\n`),
    removeState: () => rmSync(state, { force: true }),
    release: leave,
  };
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Locks the folder by a socket in Linux' abstract namespace, which ends with the process, so that there are no stale locks.
 * Its name is the folder's inode, whatever the path.
 */
function lockFolder(dir: string): Promise<() => Promise<void>> {
  const { dev, ino } = statSync(dir);
  const name = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Antiphon already runs in ${dir}: stop it there, or choose another folder with ANTIPHON_HOME`)
          : error,
      );
    });
    server.listen(`\0antiphon-${name}`, () => {
      server.unref();
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
  });
}

/** Starts a new log; keeps the previous one as `.1`. */
function rotateLog(file: string): string {
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return file;
}

/** Writes atomically, readable by the owner only. */
function writeAtomically(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
