import { accessSync, constants, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from './child.ts';
import { type ManagedServer, type ManagedServerOptions, manageServer } from './managed-server.ts';
import { freePort } from './ports.ts';

const START_DEADLINE_MS = 20_000;
/** SIGTERM instead of SIGINT: it writes JetStream's state before it exits. */
const STOP = { signal: 'SIGTERM', deadlineMs: 10_000 } as const;

/**
 * Starts nats-server with JetStream on 127.0.0.1, found on the PATH or in Debian's folder. Its `url` is `127.0.0.1:<port>`, the
 * form of `NATS_URL`.
 *
 * @param options.args further arguments, such as those of a cluster.
 * @param options.config a file that has everything but the address, JetStream included: a server that is started with `-js` stops
 * JetStream when it reads its configuration again.
 */
export async function startNats(
  options: ManagedServerOptions & { args?: readonly string[]; config?: string },
): Promise<ManagedServer> {
  const command = findProgram('nats-server');
  if (!command) throw new Error('nats-server is not installed: on Debian, `apt-get install nats-server`');
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true });
  const port = options.port ?? (await freePort());

  const start = async (): Promise<Child> => {
    const child = await startChild({
      name: 'nats-server',
      command,
      args: [
        ...(options.config === undefined ? ['-js', '-sd', dataDir] : ['-c', options.config]),
        ...['-a', '127.0.0.1', '-p', String(port), ...(options.args ?? [])],
      ],
      logFile: options.log ?? `${dataDir}.log`,
      onParentDeath: 'SIGTERM',
    });
    const deadline = Date.now() + START_DEADLINE_MS;
    while (child.running() && Date.now() < deadline) {
      if (await sendsInfo(port)) return child;
      await sleep(20);
    }
    await child.stop(STOP.signal, STOP.deadlineMs);
    throw new Error(`nats-server did not start; end of its log:\n${child.tail(5)}`);
  };

  return manageServer({ url: `127.0.0.1:${port}`, port }, start, STOP);
}

/** A NATS server sends `INFO {…}` first (docs.nats.io, client protocol). It listens only after JetStream is up. */
function sendsInfo(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(1_000, () => done(false));
    socket.once('error', () => done(false));
    socket.once('data', (data) => done(data.toString('latin1').startsWith('INFO ')));
  });
}

/** Returns the path of a program. Debian installs servers in folders that are not on an ordinary user's PATH. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  return [...path.split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
