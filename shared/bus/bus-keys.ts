import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { CONTROL_USER, type ServerConfigOptions, serverConfig } from './permissions.ts';

/** Where each program finds what it needs; each below a folder of its own, so that one can be given to one program alone. */
export interface BusFiles {
  /** Of the server: its users and what they may. */
  serverConfig: string;
  /** The settings of control. */
  control: BusUserSettings;
  /** The settings of each engine, in the order of their names. */
  engines: BusUserSettings[];
}

export interface BusUserSettings {
  NATS_NAME: string;
  NATS_CREDENTIALS: string;
}

export interface BusKeysOptions extends Pick<ServerConfigOptions, 'storeDir' | 'monitoring'> {
  folder: string;
  /** Names of the engines' users: one for all engines of a machine, or for all that trust each other. */
  engines: readonly string[];
}

/**
 * Writes the server's configuration, `server/nats.conf`, and the keys of control and of the engines' users, `control/control.nk` and
 * `engines/<name>.nk`. A key that is there is kept; the configuration is written again, because a new release may use other subjects.
 * The keys are readable by their owner only; the server, which often is another user, finds nothing secret in its configuration.
 */
export function writeBusKeys({ folder, engines, ...server }: BusKeysOptions): BusFiles {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (engines.includes(CONTROL_USER)) throw new Error(`"${CONTROL_USER}" is not an engine's name`);
  const keyOf = (subfolder: string, name: string) => {
    const file = join(folder, subfolder, `${name}.nk`);
    return { user: { name, publicKey: publicKeyIn(file) }, settings: { NATS_NAME: name, NATS_CREDENTIALS: file } };
  };
  const control = keyOf('control', CONTROL_USER);
  const others = engines.map((name) => keyOf('engines', name));
  const config = join(folder, 'server', 'nats.conf');
  const users = { control: control.user, engines: others.map(({ user }) => user) };
  write(config, serverConfig({ ...users, ...server }), { file: 0o644, folder: 0o755 });
  return { serverConfig: config, control: control.settings, engines: others.map(({ settings }) => settings) };
}

/** Of the key in the file, which is created where it is missing. */
function publicKeyIn(file: string): string {
  if (existsSync(file)) return nkeys.fromSeed(Buffer.from(readFileSync(file, 'utf8').trim())).getPublicKey();
  const key = nkeys.createUser();
  write(file, `${Buffer.from(key.getSeed()).toString()}\n`);
  return key.getPublicKey();
}

/** Whole, or not at all. */
function write(file: string, text: string, mode = { file: 0o600, folder: 0o700 }): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: mode.folder });
  writeFileSync(`${file}.new`, text, { mode: mode.file });
  renameSync(`${file}.new`, file);
}
