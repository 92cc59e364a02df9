import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sql } from '../../control/db/connect.ts';
import { prepareDirectory } from '../../dev/postgres.ts';

/**
 * A base backup of PostgreSQL, its archived WAL, and a new data folder from both (PostgreSQL 18, 25.3 "Continuous Archiving and
 * Point-in-Time Recovery"). The backup is made by the low-level API of 25.3.4, because the package that has the server has no
 * `pg_basebackup`, and the one of Debian 12 refuses a server of version 18.
 */

const run = promisify(execFile);
const SEGMENT = /^[0-9A-F]{24}$/;

/** Takes effect when the server is restarted. `archiveSeconds`: how long WAL that is not full stays unarchived at most. */
export async function archiveWal(sql: Sql, archive: string, archiveSeconds: number): Promise<void> {
  prepareDirectory(archive);
  // Written under another name first: a copy that breaks off must not look whole.
  const command = `test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`;
  await sql.unsafe(`alter system set archive_mode = on`);
  await sql.unsafe(`alter system set archive_command = '${command}'`);
  await sql.unsafe(`alter system set archive_timeout = '${archiveSeconds}s'`);
}

export interface BaseBackup {
  /** A tar archive of the data folder. */
  file: string;
  /** What lies beside it as `backup_label`. */
  label: string;
}

/** Copies the folder of the running server; resolves when the WAL that the copy needs is archived. */
export async function baseBackup(sql: Sql, dataDir: string, file: string): Promise<BaseBackup> {
  // Start and stop belong to one session.
  const session = await sql.reserve();
  try {
    await session`select pg_backup_start('restore drill', true)`;
    const without = ['pg_wal/*', 'postmaster.pid', 'postmaster.opts'].map((name) => `--exclude=./${name}`);
    await run('tar', ['-C', dataDir, ...without, '-cf', file, '.']).catch((error: { code?: number }) => {
      // 1: files changed or went while they were read, which WAL repairs.
      if (error.code !== 1) throw error;
    });
    const [stopped] = await session<{ label: string }[]>`
      select labelfile as label from pg_backup_stop(wait_for_archive => true)`;
    return { file, label: stopped!.label };
  } finally {
    session.release();
  }
}

export interface RestoreOptions {
  archive: string;
  /** The `pg_wal` of the dead server, which has what was not archived yet; null: its disk is lost. */
  deadWal: string | null;
  /** Milliseconds since 1970; null: all that there is. */
  targetMs: number | null;
}

/** Makes a data folder that the server, when it is started there, recovers to the target and opens for writing. */
export async function restoreBase({ file, label }: BaseBackup, dataDir: string, options: RestoreOptions) {
  const { archive, deadWal, targetMs } = options;
  prepareDirectory(dataDir);
  await run('tar', ['-C', dataDir, '-xpf', file]);
  writeFileSync(join(dataDir, 'backup_label'), label);
  writeFileSync(join(dataDir, 'recovery.signal'), '');
  mkdirSync(join(dataDir, 'pg_wal'), { recursive: true, mode: 0o700 });
  if (deadWal !== null) {
    for (const name of readdirSync(deadWal)) {
      if (SEGMENT.test(name)) cpSync(join(deadWal, name), join(dataDir, 'pg_wal', name));
    }
  }
  // The setting refuses the Z of ISO 8601.
  const time = new Date(targetMs ?? 0).toISOString().replace('Z', '+00');
  const target = targetMs === null ? '' : `recovery_target_time = '${time}'\n`;
  const settings = `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_action = 'promote'\n${target}`;
  appendFileSync(join(dataDir, 'postgresql.auto.conf'), settings);
  const { uid, gid } = statSync(dataDir);
  await run('chown', ['-R', `${uid}:${gid}`, dataDir]);
}

/** Moves a dead server's folder aside, as an operator does who may still need what is in it. */
export function moveAside(dataDir: string): string {
  const dead = `${dataDir}.dead`;
  renameSync(dataDir, dead);
  return dead;
}

/** Resolves when recovery is over. Returns when the last transaction that it replayed was committed, milliseconds since 1970. */
export async function untilRecovered(sql: Sql, pause: (ms: number) => Promise<void>): Promise<number> {
  for (;;) {
    const [state] = await sql<{ recovering: boolean; last: Date | null }[]>`
      select pg_is_in_recovery() as recovering, pg_last_xact_replay_timestamp() as last`;
    if (!state!.recovering) return state!.last?.getTime() ?? Number.NaN;
    await pause(20);
  }
}
