import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Sql, Transaction } from './connect.ts';

/** What a background job works on: a call, a batch, a workspace. */
export interface JobItem {
  id: string;
  workspace_id: string;
}

/** Works on the items that one run of a background job found. */
export interface ItemRunner {
  /** Resolves when each item is done, failed or is left running. Never rejects. */
  run<Item extends JobItem>(items: Iterable<Item>, work: (item: Item) => Promise<unknown>): Promise<void>;
  /** What `run` would skip now: a query with a limit leaves it out, else it would find nothing else. */
  excluded(): { ids: string[]; workspace_ids: string[] };
  counts(): ItemCounts;
  /** Resolves when no item is running. */
  settled(): Promise<void>;
}

export interface ItemCounts {
  running: number;
  /** Failed, and not tried again yet; leased jobs wait in the database instead. */
  retrying: number;
  /** Failures since the start: of a lock that was not free in time, and all others. */
  failures: { lock: number; other: number };
}

export interface ItemRunnerOptions {
  /** The polling job's, for the log. */
  name: string;
  /** The log's field with an item's id. */
  idField: string;
  clock: Clock;
  log: Logger;
  /** Items at once; 1. */
  maxConcurrent?: number;
  /** An item that takes longer is left running while the next ones begin; 250 ms. */
  waitMs?: number;
  /** The longest pause before a failed item is tried again; a minute. */
  maxBackoffMs?: number;
  random?: () => number;
}

/** Items left running: each may hold a connection. */
const MAX_LEFT = 4;
/** Of one workspace, so that it cannot take all of them. */
const MAX_LEFT_OF_WORKSPACE = 2;
/** So many items of a workspace that did not get a lock mean that its own row is locked. */
const MAX_LOCKED_OF_WORKSPACE = 2;
const FIRST_BACKOFF_MS = 1_000;
/** An item that failed and was not found again since is forgotten. */
const FORGOTTEN_AFTER_MS = 600_000;
const LOCK_TIMEOUT = '1s';
/** PostgreSQL: lock_not_available, what `lock_timeout` raises. */
const LOCK_NOT_AVAILABLE = '55P03';

/** When something that has failed is tried again: a second later, then twice as long each time, with up to a fifth of jitter. */
export function backoffMs(failures: number, maxMs: number, random: () => number = Math.random): number {
  return Math.min(maxMs, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 30)) * (0.8 + random() / 5);
}

export const isLockTimeout = (error: unknown) => (error as { code?: unknown } | null)?.code === LOCK_NOT_AVAILABLE;

interface Running {
  workspace_id: string;
  done: Promise<void>;
  /** Other items have begun since. */
  left: boolean;
}

interface Failed {
  failures: number;
  untilMs: number;
  isLock: boolean;
}

/**
 * Makes items of a background job independent of each other. One that throws is tried again after a pause that grows; one that
 * hangs is left running while others begin; where several of a workspace do not get a lock in time, its other ones pause as well.
 * All of it is known to this process only: whether an item is still to be done is decided under its row's lock or lease.
 */
export function createItemRunner({
  name,
  idField,
  clock,
  log,
  maxConcurrent = 1,
  waitMs = 250,
  maxBackoffMs = 60_000,
  random,
}: ItemRunnerOptions): ItemRunner {
  const running = new Map<string, Running>();
  /** By workspace, then by id. */
  const failed = new Map<string, Map<string, Failed>>();
  const failures = { lock: 0, other: 0 };

  return { run, excluded, counts, settled };

  async function run<Item extends JobItem>(
    items: Iterable<Item>,
    work: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    forgetOldFailures();
    const waiting = items[Symbol.iterator]();
    const worker = async () => {
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        const item = next.value;
        for (let left = leftRunning(); left.length >= MAX_LEFT; left = leftRunning()) {
          await Promise.race(left.map(({ done }) => done));
        }
        if (!isExcluded(item)) await atMost(waitMs, start(item, work));
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, worker));
  }

  function start<Item extends JobItem>(item: Item, work: (item: Item) => Promise<unknown>): Running {
    const { id, workspace_id } = item;
    const done = Promise.resolve()
      .then(() => work(item))
      .then(
        () => void failed.get(workspace_id)?.delete(id),
        (error: unknown) => recordFailure(item, error),
      )
      .then(() => {
        running.delete(id);
      });
    const started = { workspace_id, done, left: false };
    running.set(id, started);
    return started;
  }

  function recordFailure({ id, workspace_id }: JobItem, error: unknown): void {
    const isLock = isLockTimeout(error);
    failures[isLock ? 'lock' : 'other'] += 1;
    const ofWorkspace = failed.get(workspace_id) ?? new Map<string, Failed>();
    const count = (ofWorkspace.get(id)?.failures ?? 0) + 1;
    const untilMs = clock.now() + backoffMs(count, maxBackoffMs, random);
    failed.set(workspace_id, ofWorkspace.set(id, { failures: count, untilMs, isLock }));
    const fields = { job: name, [idField]: id, workspace_id, failures: count, error: errorText(error) };
    log[isLock ? 'warn' : 'error'](fields, 'background job failed for one item; retrying');
  }

  function isExcluded({ id, workspace_id }: JobItem): boolean {
    return running.has(id) || isPaused(failed.get(workspace_id)?.get(id)) || isWorkspaceExcluded(workspace_id);
  }

  function isWorkspaceExcluded(workspaceId: string): boolean {
    const locked = [...(failed.get(workspaceId)?.values() ?? [])].filter((each) => each.isLock && isPaused(each));
    return locked.length >= MAX_LOCKED_OF_WORKSPACE || leftRunning(workspaceId).length >= MAX_LEFT_OF_WORKSPACE;
  }

  function excluded() {
    const workspaces = new Set([...failed.keys(), ...leftRunning().map(({ workspace_id }) => workspace_id)]);
    return { ids: [...running.keys(), ...paused()], workspace_ids: [...workspaces].filter(isWorkspaceExcluded) };
  }

  function counts(): ItemCounts {
    return { running: running.size, retrying: paused().length, failures: { ...failures } };
  }

  function paused(): string[] {
    return [...failed.values()].flatMap((items) => [...items].flatMap(([id, each]) => (isPaused(each) ? [id] : [])));
  }

  async function settled(): Promise<void> {
    await Promise.all([...running.values()].map(({ done }) => done));
  }

  function isPaused(item: Failed | undefined): boolean {
    return item !== undefined && item.untilMs > clock.now();
  }

  function leftRunning(workspaceId?: string): Running[] {
    return [...running.values()].filter(
      ({ left, workspace_id }) => left && (workspaceId === undefined || workspace_id === workspaceId),
    );
  }

  function forgetOldFailures(): void {
    const before = clock.now() - FORGOTTEN_AFTER_MS;
    for (const [workspaceId, items] of failed) {
      for (const [id, { untilMs }] of items) if (untilMs < before) items.delete(id);
      if (items.size === 0) failed.delete(workspaceId);
    }
  }

  function atMost(ms: number, item: Running): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(ms, () => {
        item.left = true;
        resolve();
      });
      void item.done.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }
}

/** One item after the other, to the first failure: for a single run. */
export const eachInTurn: Pick<ItemRunner, 'run' | 'excluded'> = {
  async run(items, work) {
    for (const item of items) await work(item);
  },
  excluded: () => ({ ids: [], workspace_ids: [] }),
};

/**
 * A transaction of background work, which waits at most a second for a lock, or as long as `lockTimeout` says. The limit is sent
 * together with the first statement: it costs no round trip.
 */
export function beginItem<Result>(
  sql: Sql,
  work: (tx: Transaction) => Promise<Result>,
  lockTimeout = LOCK_TIMEOUT,
): Promise<Result> {
  return sql.begin(async (tx) => {
    const limit = tx.unsafe(`set local lock_timeout = '${lockTimeout}'`).execute();
    const [result] = await Promise.all([work(tx), limit]);
    return result;
  }) as Promise<Result>;
}
