import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '../../dev/child.ts';
import { findProgram } from '../../dev/nats.ts';
import { freePort } from '../../dev/ports.ts';
import { prepareDirectory } from '../../dev/postgres.ts';
import { afterFile } from './after-file.ts';
import { eventually, GivenUp } from './until.ts';

/** The program, on the PATH or in Debian's folder: `apt-get install pgbouncer`. */
export const PGBOUNCER = findProgram('pgbouncer');

/**
 * Starts PgBouncer in transaction mode before a database, with fewer connections to it than its clients have. It stops after the
 * file's last test.
 *
 * @returns the address through it.
 */
export async function startPgBouncer(databaseUrl: string): Promise<string> {
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${databasePort} user=${username} password=${decodeURIComponent(password)}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      // Whoever connects is the user above.
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 4',
      'max_client_conn = 200',
    ].join('\n'),
    { mode: 0o600 },
  );
  const asUser = prepareDirectory(join(folder, 'run'));
  const child: Child = await startChild({
    ...{ name: 'pgbouncer', command: PGBOUNCER!, args: [file], logFile: `${folder}.log`, onParentDeath: 'SIGTERM' },
    ...(asUser ? { asUser } : {}),
  });
  afterFile(async () => {
    await child.stop('SIGTERM', 5_000);
    for (const path of [folder, `${folder}.log`]) rmSync(path, { recursive: true, force: true });
  });
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  await eventually('PgBouncer to listen', 60_000, async () => {
    if (!child.running()) throw new GivenUp(`PgBouncer did not start; end of its log:\n${child.tail(5)}`);
    return child.tail(40).includes(`listening on 127.0.0.1:${port}`) ? true : null;
  });
  return url;
}
