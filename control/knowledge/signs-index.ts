import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type Sql, withUnlimitedStatements } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';

/**
 * An index over the signs of all passages, where the server has the extension pgvector: then a search of very many passages
 * reads a part of them only. Without it every search reads the signs of all passages of its bases.
 */
export interface SignsIndex {
  /** Whether a search of so many passages is quicker through the index. */
  serves(passages: number): boolean;
}

export interface SignsIndexDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
}

/** From here on the index is quicker (`bench/NOTES.md`). */
const MIN_PASSAGES = 20_000;
/** Where a search is about fewer of all stored passages, the index would read too many of others to find enough of these. */
const MIN_SHARE = 0.1;
/** A server that gets the extension is noticed after this time. */
const CHECK_INTERVAL_MS = 600_000;
/** pgvector's first version whose index goes on reading until it has found enough that pass a filter. */
const MIN_VERSION = [0, 8] as const;
const NAME = 'knowledge_passages_nearest';
/** Any number: the process that holds it builds the index. */
const LOCK = 7_080_035;
const INSUFFICIENT_PRIVILEGE = '42501';

interface ServerState {
  /** Of pgvector in this database; empty when it was not created. */
  installed: string;
  /** Whether the server has pgvector's files. */
  available: boolean;
  built: boolean;
  /** About how many passages there are in all. */
  passages: number;
}

/** Decides by the server's state alone; `passages` are those that are searched. */
export function indexServes({ built, passages: stored }: Pick<ServerState, 'built' | 'passages'>, passages: number) {
  return built && passages >= MIN_PASSAGES && passages >= stored * MIN_SHARE;
}

/** Looks for the extension at once and then every ten minutes, and builds the index when there is none. */
export function startSignsIndex(deps: SignsIndexDeps): SignsIndex & Pick<PollingJob, 'stop'> {
  let state: ServerState | null = null;
  let refusalLogged = false;
  const job = startPollingJob({
    ...{ name: 'index of knowledge vectors', intervalMs: CHECK_INTERVAL_MS, clock: deps.clock, log: deps.log },
    async run() {
      state = await prepareSignsIndex(deps, () => {
        if (refusalLogged) return;
        refusalLogged = true;
        deps.log.info({}, 'the server has pgvector, but only a superuser may create it: create extension vector');
      });
    },
  });
  return { serves: (passages) => state !== null && indexServes(state, passages), stop: job.stop };
}

/** Creates extension and index where that is possible, and returns what there is then. */
export async function prepareSignsIndex({ sql, log }: SignsIndexDeps, onRefused: () => void): Promise<ServerState> {
  let state = await readState(sql);
  if (state.installed === '' && state.available) {
    const created = await createExtension(sql);
    if (!created) onRefused();
    state = await readState(sql);
  }
  if (!isRecent(state.installed) || state.built) return { ...state, built: state.built && isRecent(state.installed) };
  await buildIndex(sql, log);
  return readState(sql);
}

async function readState(sql: Sql): Promise<ServerState> {
  const [row] = await sql<ServerState[]>`
    select
      coalesce((select extversion from pg_extension where extname = 'vector'), '') as installed,
      exists (select from pg_available_extensions where name = 'vector') as available,
      exists (select from pg_index where indexrelid = to_regclass(${NAME}) and indisvalid) as built,
      (select greatest(0, reltuples)::bigint from pg_class where oid = 'knowledge_passages'::regclass) as passages`;
  return row!;
}

/** False when this user may not. */
async function createExtension(sql: Sql): Promise<boolean> {
  try {
    await sql`create extension if not exists vector`;
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return false;
    throw error;
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return version !== '' && (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]));
}

/** Builds the index without holding up writes, in one process at a time. What a process left that died is built anew. */
async function buildIndex(sql: Sql, log: Logger): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe('set local idle_in_transaction_session_timeout = 0');
    // A simple query: the portal of any other one keeps its snapshot until the next, and the build waits for all older snapshots.
    const [lock] = await tx.unsafe<{ taken: boolean }[]>(`select pg_try_advisory_xact_lock(${LOCK}) as taken`);
    if (!lock!.taken) return;
    try {
      // It takes minutes, and waits for every transaction that writes.
      await withUnlimitedStatements(sql, async (own) => {
        await own.unsafe(`drop index concurrently if exists ${NAME}`);
        await own.unsafe(`create index concurrently ${NAME} on knowledge_passages using hnsw (signs bit_hamming_ops)`);
      });
      log.info({}, 'an index of knowledge vectors was built');
    } catch (error) {
      log.warn({ error: errorText(error) }, 'building an index of knowledge vectors failed');
    }
  });
}
