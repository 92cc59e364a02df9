import { randomUUID } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AnySql, Sql } from '../db/connect.ts';

export interface ConnectionLeaseOptions {
  sql: Sql;
  log: Logger;
  clock?: Clock;
  /** Of the connection, the same in all processes. */
  name: string;
  /** Opens the connection, which this process holds from now on; the result closes it. */
  open(): { close(): Promise<void> };
  times?: LeaseTimes;
}

export interface LeaseTimes {
  /** Between two heartbeats of the holder, and between two tries of the others. */
  heartbeat_ms: number;
  /** A holder without a heartbeat for this long is followed by another process. */
  lost_after_ms: number;
}

const TIMES: LeaseTimes = { heartbeat_ms: 3_000, lost_after_ms: 10_000 };

/**
 * Keeps a connection open in one control process at a time, by a row with a heartbeat. Times are the database's. A holder that
 * cannot write its heartbeat closes the connection before another one may open it.
 */
export function leaseConnection(options: ConnectionLeaseOptions): { stop(): Promise<void> } {
  const { sql, log, clock = systemClock, name, open, times: { heartbeat_ms, lost_after_ms } = TIMES } = options;
  const holder = randomUUID();
  let connection: { close(): Promise<void> } | null = null;
  /** When the last heartbeat that was written began. */
  let heartbeatAtMs = 0;
  let timer: Timer | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  async function writeHeartbeat(): Promise<void> {
    const startedMs = clock.now();
    try {
      const rows = await sql`
        insert into connection_leases (name, holder, held_until)
        values (${name}, ${holder}, clock_timestamp() + ${lost_after_ms} * interval '1 millisecond')
        on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
        where connection_leases.holder = excluded.holder or connection_leases.held_until < clock_timestamp()
        returning holder`;
      if (rows.length > 0) heartbeatAtMs = startedMs;
      await hold(rows.length > 0);
    } catch (error) {
      log.warn({ name, error: errorText(error) }, 'the heartbeat of a connection could not be written');
      if (clock.now() - heartbeatAtMs >= lost_after_ms - heartbeat_ms) await hold(false);
    }
  }

  async function hold(mine: boolean): Promise<void> {
    if (mine === (connection !== null) || (mine && stopped)) return;
    log.info({ name }, mine ? 'this process holds the connection now' : 'another process holds the connection now');
    const before = connection;
    connection = mine ? open() : null;
    await before?.close();
  }

  function next(): void {
    running = writeHeartbeat().then(() => {
      if (!stopped) timer = clock.after(heartbeat_ms, next);
    });
  }
  next();

  return {
    async stop() {
      stopped = true;
      timer?.cancel();
      await running;
      await hold(false);
      // The next process need not wait.
      await sql`delete from connection_leases where name = ${name} and holder = ${holder}`.catch(() => {});
    },
  };
}

/** Of each connection that is leased, whether a process holds it now, by the database's time. */
export async function connectionsHeld(sql: AnySql): Promise<Record<string, boolean>> {
  const rows = await sql<{ name: string; held: boolean }[]>`
    select name, held_until > clock_timestamp() as held from connection_leases order by name limit 100`;
  return Object.fromEntries(rows.map(({ name, held }) => [name, held]));
}
