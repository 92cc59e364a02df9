import postgres from 'postgres';
import type { Clock } from '../../shared/clock.ts';
import { type ConnectionGate, createConnectionGate, type GateState } from './connection-gate.ts';
import { createWakeUps, type WakeTopic, type WakeUps } from './wake-ups.ts';

/**
 * The connection pool. `bigint` columns come back as numbers (an error when they do not fit), `timestamptz` as Date, `json` as
 * values.
 */
export type Sql = postgres.Sql<{ bigint: number }>;
/** Inside `sql.begin`. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;
/** Taken by functions that may join a transaction. */
export type AnySql = Sql | Transaction;
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** `transaction`: the address is a pooler's, such as PgBouncer, that gives each transaction whichever connection is free. */
export type Pooler = '' | 'transaction';

export interface ConnectOptions {
  /** May say `?connect_timeout=`, the seconds that opening a connection may take. */
  url: string;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Maximum number of connections. */
  max?: number;
  /** Of a statement; 20 seconds, 0: as long as it takes. A lock is waited for at most 10 seconds. */
  statementTimeoutMs?: number;
  /** A query or transaction that finds no free connection for so long is refused with `NoFreeConnectionError`; without it, it waits. */
  waitMs?: number;
  pooler?: Pooler;
  /** Shared by the pools of a process. */
  wakeUps?: WakeUps;
  /** For tests. */
  clock?: Clock;
}

/** PostgreSQL's type number of bigint, from its catalog `pg_type`. */
const INT8 = 20;
const CONNECT_TIMEOUT_SECONDS = 5;
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000;

/**
 * Creates the pool. Connections are opened when first needed and opened again after an outage. A query that was running when
 * its connection broke rejects; it is never repeated. At most `max` queries and transactions run, one per connection: none waits
 * behind another one's slow statement on the same connection.
 *
 * Through a transaction pooler no statement is prepared by name, because the next one may go to another connection, and nothing
 * is set for a session: the time-outs are set in each transaction, together with its first statement. Outside of
 * transactions those of the database role hold.
 */
export function connectDatabase(options: ConnectOptions): Sql {
  const { url, name = 'antiphon-control', max = 12, statementTimeoutMs = 20_000, pooler = '' } = options;
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs === 0 ? 0 : Math.min(LOCK_TIMEOUT_MS, statementTimeoutMs),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
  };
  const sql = postgres(url, {
    max,
    connect_timeout: Number(/[?&]connect_timeout=(\d+)/.exec(url)?.[1] ?? CONNECT_TIMEOUT_SECONDS),
    idle_timeout: 120,
    // PostgreSQL restarts within a second or two: a long back-off would only prolong the outage.
    backoff: (failures) => Math.min(2, 0.1 * 2 ** failures),
    onnotice: () => {},
    transform: { undefined: null },
    prepare: pooler === '',
    connection: { application_name: name, ...(pooler === '' ? timeouts : {}) },
    types: { bigint: { to: INT8, from: [INT8], serialize: serializeBigint, parse: parseBigint } },
  }) as Sql;
  const { wakeUps = createWakeUps() } = options;
  const gate = createConnectionGate(max, options.waitMs, options.clock);
  return extended(sql, {
    gate,
    setLocal: pooler === '' ? '' : setLocal(timeouts),
    shared: { [WAKE_UPS]: wakeUps, [OPTIONS]: { ...options, wakeUps }, [STATE]: gate.state },
  });
}

/** Runs `work` with a connection of its own, whose statements take as long as they do. */
export async function withUnlimitedStatements<Result>(sql: Sql, work: (own: Sql) => Promise<Result>): Promise<Result> {
  const own = connectDatabase({ ...(sql as Extended)[OPTIONS]!, max: 1, statementTimeoutMs: 0 });
  try {
    return await work(own);
  } finally {
    await own.end({ timeout: 5 });
  }
}

/** Whether a transaction pooler is in between. */
export function isPooled(sql: Sql): boolean {
  return (sql as Extended)[OPTIONS]?.pooler === 'transaction';
}

const WAKE_UPS = Symbol('wake-ups');
const OPTIONS = Symbol('options');
const STATE = Symbol('state');
const AFTER_COMMIT = Symbol('after commit');
type AfterCommit = (wakeUps: WakeUps | undefined) => void;
interface Extensions {
  [WAKE_UPS]?: WakeUps;
  [OPTIONS]?: ConnectOptions;
  [STATE]?: () => GateState;
  /** Of a transaction: what is to be done when it has committed. */
  [AFTER_COMMIT]?: AfterCommit[];
}
type Extended = AnySql & Extensions;

/**
 * Wakes the background jobs that wait for the topic, of this process and of the others, when the transaction has committed;
 * outside of one, now. Nothing is woken by a transaction, or a savepoint of it, that was rolled back.
 */
export function wakeAfterCommit(sql: AnySql, topic: WakeTopic, key: string): void {
  afterCommit(sql, (wakeUps) => wakeUps?.wake(topic, key));
}

/** Calls `run`, which must not throw, when the transaction has committed; outside of one, now. */
export function afterCommit(sql: AnySql, run: AfterCommit): void {
  const { [AFTER_COMMIT]: runs, [WAKE_UPS]: wakeUps } = sql as Extended;
  if (runs) runs.push(run);
  else run(wakeUps);
}

/** What wakes the background jobs of the process that has this pool. */
export function wakeUpsOf(sql: Sql): WakeUps {
  return (sql as Extended)[WAKE_UPS]!;
}

/** How many use a connection of the pool, and how many wait for one. */
export function poolState(sql: Sql): GateState {
  return (sql as Extended)[STATE]!();
}

interface Additions {
  gate: ConnectionGate;
  /** Sent with the first statement of each transaction; empty: nothing. */
  setLocal: string;
  shared: Extensions;
}

type Work = (tx: Transaction) => unknown;

/** The driver's pool, whose queries and transactions pass the gate, and whose transactions wake jobs after their commit. */
function extended(sql: Sql, { gate, setLocal, shared }: Additions): Sql {
  async function begin(first: string | Work, second?: Work): Promise<unknown> {
    const [mode, work] = typeof first === 'string' ? [first, second!] : ['', first];
    const runs: AfterCommit[] = [];
    const result = await admittedTo(gate, () =>
      sql.begin(mode, (tx) => {
        const kept = keepUntilCommit(tx, runs);
        if (setLocal === '') return work(kept);
        const limits = tx.unsafe(setLocal).execute();
        return Promise.all([settled(work(kept)), limits]).then(([done]) => done);
      }),
    );
    for (const run of runs) run(shared[WAKE_UPS]);
    return result;
  }

  const own = { ...shared, begin, unsafe: (...parts: Parameters<Sql['unsafe']>) => admit(gate, sql.unsafe(...parts)) };
  return new Proxy(sql, {
    apply: (target, self, parts) => admit(gate, Reflect.apply(target, self, parts)),
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  });
}

/** What the driver does with a transaction's result: of several queries, all of them. */
const settled = (result: unknown) => (Array.isArray(result) ? Promise.all(result) : result);

async function admittedTo<Result>(gate: ConnectionGate, run: () => Promise<Result>): Promise<Result> {
  await new Promise<void>((granted, refused) => gate.enter(granted, refused));
  const running = run();
  running.then(() => gate.leave(), gate.leave);
  return running;
}

/** Lets a query pass the gate when it is sent; a part of another query never is. */
function admit<Value>(gate: ConnectionGate, value: Value): Value {
  if (!(value instanceof Promise)) return value;
  const query = value as Value & Promise<unknown> & { handler(query: unknown): void; reject(error: Error): void };
  const send = query.handler;
  query.handler = () =>
    gate.enter(
      () => {
        query.then(() => gate.leave(), gate.leave);
        send(query);
      },
      (error) => query.reject(error),
    );
  return value;
}

function keepUntilCommit(tx: Transaction, runs: AfterCommit[]): Transaction {
  const { savepoint } = tx as { savepoint(run: Work): Promise<unknown> };
  const remembering = {
    [AFTER_COMMIT]: runs,
    async savepoint(run: Work) {
      const ofSavepoint: AfterCommit[] = [];
      const result = await savepoint((inner) => run(keepUntilCommit(inner, ofSavepoint)));
      runs.push(...ofSavepoint);
      return result;
    },
  };
  return Object.assign(tx, remembering) as Transaction;
}

function setLocal(timeouts: Record<string, number>): string {
  return Object.entries(timeouts)
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join('; ');
}

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`the number ${text} from the database does not fit`);
  return value;
}

function serializeBigint(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`the number ${value} does not fit into the database`);
  return String(value);
}

/** Whether PostgreSQL responds within the deadline. Never rejects. */
export async function isDatabaseReachable(sql: Sql, deadlineMs = 2_000): Promise<boolean> {
  const query = sql`select 1`;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), deadlineMs);
  });
  const responded = query.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([responded, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
