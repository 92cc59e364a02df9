import postgres from 'postgres';

/**
 * The connection pool. `bigint` columns come back as numbers (an error when they do not fit), `timestamptz` as Date, `json` as
 * values.
 */
export type Sql = postgres.Sql<{ bigint: number }>;
/** Inside `sql.begin`. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;
/** Taken by functions that may join a transaction. */
export type AnySql = Sql | Transaction;

export interface ConnectOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Maximum number of connections. */
  max?: number;
}

/** PostgreSQL's type number of bigint, from its catalog `pg_type`. */
const INT8 = 20;

/**
 * Creates the pool. Connections are opened when first needed and opened again after an outage. A query that was running when
 * its connection broke rejects; it is never repeated.
 */
export function connectDatabase({ url, name = 'antiphon-control', max = 12 }: ConnectOptions): Sql {
  return postgres(url, {
    max,
    connect_timeout: 5,
    idle_timeout: 120,
    // PostgreSQL restarts within a second or two: a long back-off would only prolong the outage.
    backoff: (failures) => Math.min(2, 0.1 * 2 ** failures),
    onnotice: () => {},
    transform: { undefined: null },
    connection: {
      application_name: name,
      statement_timeout: 20_000,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 30_000,
    },
    types: { bigint: { to: INT8, from: [INT8], serialize: serializeBigint, parse: parseBigint } },
  }) as Sql;
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
