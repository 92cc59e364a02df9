import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';

/** One connection, kept for several statements (`sql.reserve()`). */
export type Connection = postgres.ReservedSql<{ bigint: number }>;

/** How long a change of a table waits for those who use it: everybody else waits behind it meanwhile. */
const LOCK_TIMEOUT = '3s';
const ATTEMPTS = 30;
const PAUSE_MS = 1_000;
/** PostgreSQL's "lock_not_available". */
const LOCK_NOT_AVAILABLE = '55P03';

/** Tries the work again when a lock is not free within three seconds: for about two minutes. `onWait` is called before each new attempt. */
export async function retryOnLockTimeout<Result>(
  connection: Connection,
  work: () => Promise<Result>,
  onWait: () => void = () => {},
): Promise<Result> {
  await connection.unsafe(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await work();
      await connection.unsafe('set lock_timeout = 0');
      return result;
    } catch (error) {
      const locked = error instanceof postgres.PostgresError && error.code === LOCK_NOT_AVAILABLE;
      if (!locked || attempt === ATTEMPTS) throw error;
      onWait();
      await sleep(PAUSE_MS);
    }
  }
}
