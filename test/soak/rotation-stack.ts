import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Child, startProgram } from '../../dev/child.ts';
import { startNats } from '../../dev/nats.ts';
import { freePort } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { writeBusKeys } from '../../shared/bus/bus-keys.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { copyPreparedPostgres } from '../support/prepared-postgres.ts';
import { eventually, GivenUp } from '../support/until.ts';

/** The service with TLS everywhere and users of the bus, whose keys, secrets and certificates are replaced while it runs. */
export interface RotationStack {
  /** `https://127.0.0.1:<port>`: a TCP proxy before the control that runs. */
  apiUrl: string;
  databaseUrl: string;
  /** What control and the operator's commands are started with. */
  env: NodeJS.ProcessEnv;
  /** A new control with these settings takes the place of the present one, which ends after it is ready. */
  replaceControl(settings: Record<string, string>): Promise<void>;
  /** A new engine with these settings takes the next calls; the present one drains and keeps its own. */
  replaceEngine(settings: Record<string, string>): Promise<void>;
  /** New keys of control and the engines on the bus; resolves when the server has read them. */
  renewBusKeys(): void;
  renewBusCertificate(): void;
  /** Of both programs; resolves when new connections are shown the new ones. */
  renewCertificates(): Promise<void>;
  /** The lateness of ticks in the first engine, which has all but the last call: ticks by whole milliseconds, since its start. */
  lagCounts(): Promise<number[]>;
  /** The end of the programs' logs. */
  tail(): string;
  stop(): Promise<void>;
}

const ENGINES = ['engine-1', 'engine-2'] as const;
const HOST = '127.0.0.1';
const READY_WITHIN_MS = 120_000;
const STARTING_NICENESS = 15;
const STOP_WITHIN_MS = 20_000;
/** How long calls may go on in an engine that is replaced. */
const DRAIN_SECONDS = '3600';

export async function startRotationStack(settings: Record<string, string>): Promise<RotationStack> {
  const home = makeFastFolder('antiphon-rotation-');
  const closing: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  try {
    return await start(home, settings, closing, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  home: string,
  settings: Record<string, string>,
  closing: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<RotationStack> {
  // The certificates are nobody's; which one a port shows is compared below.
  const { NODE_TLS_REJECT_UNAUTHORIZED: checked } = process.env;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  closing.push(() => {
    if (checked === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = checked;
  });
  const certificates = createCertificates(join(home, 'tls'));
  await copyPreparedPostgres(join(home, 'postgres'));
  const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
  closing.push(() => postgres.stop());

  const keys = () => writeBusKeys({ folder: join(home, 'bus'), engines: ENGINES, storeDir: join(home, 'nats') });
  const users = keys();
  const config = join(home, 'nats.conf');
  const { certFile, keyFile } = certificates.bus;
  writeFileSync(config, `include "bus/server/nats.conf"\ntls { cert_file: "${certFile}", key_file: "${keyFile}" }\n`);
  const nats = await startNats({ dataDir: join(home, 'nats'), config });
  closing.push(() => nats.stop());

  const proxy = await startProxy();
  closing.push(proxy.close);
  const apiUrl = `https://${HOST}:${proxy.port}`;
  const firstEnginePort = await freePort();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_TLS_REJECT_UNAUTHORIZED: checked,
    ORT_DISABLE_TELEMETRY: '1',
    PUBLIC_API_URL: apiUrl,
    PUBLIC_MEDIA_URL: `wss://${HOST}:${firstEnginePort}`,
    MEDIA_TOKEN_SECRET: newSecret(),
    SECRETS_KEY: newSecret(),
    DATABASE_URL: postgres.url,
    NATS_URL: `tls://localhost:${nats.port}`,
    NATS_CA: certificates.bus.certFile,
    RECORDINGS_DIR: join(home, 'recordings'),
    MAIL_DIR: join(home, 'mail'),
    DRAIN_SECONDS,
    ...settings,
  };
  const children: Child[] = [];
  let control: { child: Child; port: number } | null = null;
  let engine: { child: Child; port: number } | null = null;
  let engines = 0;

  async function run(program: 'control' | 'media', port: number, own: NodeJS.ProcessEnv): Promise<Child> {
    const name = `${program}-${children.length + 1}`;
    const child = await startProgram(program, { name, env: { ...env, ...own }, logFile: join(home, `${name}.log`) });
    children.push(child);
    // It would start on another machine, whose calls these are not.
    setPriority(child.pid, STARTING_NICENESS);
    closing.push(() => child.stop('SIGINT', STOP_WITHIN_MS));
    await eventually(`${name} to be ready`, READY_WITHIN_MS, async () => {
      if (!child.running()) throw new GivenUp(`${name} ${await child.exited}:\n${child.tail()}`);
      const answer = await fetch(`https://${HOST}:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => null,
      );
      await answer?.body?.cancel();
      return answer?.ok || null;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; end of its log:\n${child.tail()}`);
    });
    // Only root may.
    if (process.getuid?.() === 0) setPriority(child.pid, 0);
    return child;
  }

  async function replaceControl(changed: Record<string, string>): Promise<void> {
    Object.assign(env, changed);
    const port = await freePort();
    const { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE } = certificates.control;
    const own = { TLS_CERT_FILE, TLS_KEY_FILE, API_PORT: String(port), ...users.control };
    const child = await run('control', port, own);
    const before = control;
    control = { child, port };
    proxy.passTo(port);
    await before?.child.stop('SIGTERM', STOP_WITHIN_MS);
  }

  async function replaceEngine(changed: Record<string, string>): Promise<void> {
    const port = engines === 0 ? firstEnginePort : await freePort();
    const { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE } = certificates.media;
    const child = await run('media', port, {
      ...{ TLS_CERT_FILE, TLS_KEY_FILE, MEDIA_PORT: String(port), PUBLIC_ENGINE_URL: `wss://${HOST}:${port}` },
      ...{ ...users.engines[engines++], SECRETS_KEY: undefined, ...changed },
    });
    if (engine) process.kill(engine.child.pid, 'SIGTERM');
    engine = { child, port };
  }

  await replaceControl({});
  await replaceEngine({});

  return {
    apiUrl,
    databaseUrl: postgres.url,
    env,
    replaceControl,
    replaceEngine,
    renewBusKeys() {
      for (const { NATS_CREDENTIALS } of [users.control, ...users.engines]) rmSync(NATS_CREDENTIALS);
      keys();
      process.kill(nats.pid, 'SIGHUP');
    },
    renewBusCertificate() {
      certificates.bus.renew();
      process.kill(nats.pid, 'SIGHUP');
    },
    async renewCertificates() {
      const expected = [
        { port: control!.port, cert: certificates.control.renew() },
        { port: engine!.port, cert: certificates.media.renew() },
      ];
      for (const { port, cert } of expected) {
        await eventually('the new certificate', READY_WITHIN_MS, async () => (await shownBy(port)) === cert || null);
      }
    },
    async lagCounts() {
      const answer = await fetch(`https://${HOST}:${firstEnginePort}/metricsz`);
      return ((await answer.json()) as { lag_counts: number[] }).lag_counts;
    },
    tail: () => children.map((child) => `${child.name}:\n${child.tail(6)}`).join('\n'),
    stop,
  };
}

export const newSecret = () => randomBytes(32).toString('base64url');

/** Files with a certificate of each server. */
function createCertificates(folder: string) {
  mkdirSync(folder);
  const files = (name: string, host: string) => {
    const certFile = join(folder, `${name}.crt`);
    const keyFile = join(folder, `${name}.key`);
    const renew = () => {
      const { cert, key } = selfSignedCertificate(host);
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key, { mode: 0o600 });
      return cert.replaceAll('\n', '');
    };
    renew();
    return { certFile, keyFile, renew };
  };
  return { bus: files('bus', 'localhost'), control: files('control', HOST), media: files('media', HOST) };
}

/** The certificate that a new connection is shown. */
function shownBy(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port, rejectUnauthorized: false }, () => {
      const shown = socket.getPeerX509Certificate()?.toString().replaceAll('\n', '') ?? null;
      socket.destroy();
      resolve(shown);
    });
    socket.once('error', () => resolve(null));
  });
}

/** Passes connections on to one port, later ones to another, as a load balancer does. */
async function startProxy() {
  let target = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectTcp(target, HOST);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, HOST, resolve));
  return {
    port,
    passTo(next: number) {
      target = next;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
