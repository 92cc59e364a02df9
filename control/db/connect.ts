import postgres from 'postgres';

/**
 * The pool every room writes its SQL with. `bigint` columns come back as numbers (refused when they do not fit),
 * `timestamptz` as Date, `json` as values.
 */
export type Sql = postgres.Sql<{ bigint: number }>;
/** Inside `sql.begin`. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;
/** A function that may join a transaction takes this. */
export type AnySql = Sql | Transaction;

export interface ConnectOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Connections at most. */
  max?: number;
}

/** PostgreSQL's type number of bigint, from its catalog `pg_type`. */
const INT8 = 20;

/**
 * Opens nothing yet: connections are made when first needed and made again after PostgreSQL was away. A query that
 * was running when the connection broke rejects; it is never repeated by itself.
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

/** Does PostgreSQL answer within so long? Never throws. */
export async function isDatabaseReachable(sql: Sql, deadlineMs = 2_000): Promise<boolean> {
  const query = sql`select 1`;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), deadlineMs);
  });
  const answer = query.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
