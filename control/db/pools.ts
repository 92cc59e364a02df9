import { connectDatabase, type Pooler, type Sql } from './connect.ts';
import { createWakeUps } from './wake-ups.ts';

/**
 * Connections by what they are for, so that none of it waits for another: a slow dashboard takes no connection from calls. A
 * transaction uses one pool. `app.ts` says which module has which.
 */
export interface Pools {
  /** What a call waits for: sessions, carriers' callbacks, dialling, hanging up, ending lost calls. */
  calls: Sql;
  /** The engines' events. */
  ingest: Sql;
  /** Requests to the API. */
  api: Sql;
  /** Requests that read many rows: statistics, logs, exports. */
  reports: Sql;
  /** What runs in the background. */
  jobs: Sql;
}

type PoolName = keyof Pools;

interface PoolSettings {
  connections: number;
  /** The time-out of a statement. */
  seconds: number;
  /** How long a request waits for a free connection; without it, for ever. */
  waitMs?: number;
}

/** For one small server. A request that has no connection after three seconds is answered with 503. */
const DEFAULTS: Readonly<Record<PoolName, PoolSettings>> = {
  calls: { connections: 10, seconds: 5 },
  ingest: { connections: 4, seconds: 10 },
  api: { connections: 10, seconds: 20, waitMs: 3_000 },
  reports: { connections: 4, seconds: 20, waitMs: 3_000 },
  jobs: { connections: 8, seconds: 60 },
};
const NAMES = Object.keys(DEFAULTS) as PoolName[];

export interface PoolsConfig {
  DATABASE_URL: string;
  /** `calls=10,api=20`: those that differ from the defaults. */
  DATABASE_CONNECTIONS: string;
  /** `calls=5,jobs=120`: those that differ from the defaults. */
  DATABASE_STATEMENT_SECONDS: string;
  DATABASE_POOLER: Pooler;
}

/** Every pool's settings. @throws Error when one is not understood. */
export function poolSettings(
  config: Pick<PoolsConfig, 'DATABASE_CONNECTIONS' | 'DATABASE_STATEMENT_SECONDS'>,
): Record<PoolName, PoolSettings> {
  const connections = readNumbers('DATABASE_CONNECTIONS', config.DATABASE_CONNECTIONS);
  const seconds = readNumbers('DATABASE_STATEMENT_SECONDS', config.DATABASE_STATEMENT_SECONDS);
  const settings = NAMES.map((name): [PoolName, PoolSettings] => {
    const preset = DEFAULTS[name];
    return [
      name,
      {
        ...preset,
        connections: connections.get(name) ?? preset.connections,
        seconds: seconds.get(name) ?? preset.seconds,
      },
    ];
  });
  return Object.fromEntries(settings) as Record<PoolName, PoolSettings>;
}

/** Creates the pools of a process, which wake the same background jobs. */
export function connectPools(config: PoolsConfig): Pools {
  const { DATABASE_URL: url, DATABASE_POOLER: pooler } = config;
  const settings = poolSettings(config);
  const wakeUps = createWakeUps();
  const connect = (name: PoolName) => {
    const { connections, seconds, waitMs } = settings[name];
    return connectDatabase({
      ...{ url, pooler, wakeUps, name: `antiphon-control ${name}`, max: connections },
      statementTimeoutMs: seconds * 1_000,
      ...(waitMs === undefined ? {} : { waitMs }),
    });
  };
  return Object.fromEntries(NAMES.map((name) => [name, connect(name)])) as unknown as Pools;
}

/** For what has one pool for everything, such as a benchmark. */
export function onePool(sql: Sql): Pools {
  return { calls: sql, ingest: sql, api: sql, reports: sql, jobs: sql };
}

export async function closePools(pools: Pools, timeoutSeconds: number): Promise<void> {
  await Promise.all(Object.values(pools).map((sql: Sql) => sql.end({ timeout: timeoutSeconds })));
}

function readNumbers(setting: string, text: string): Map<PoolName, number> {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  return new Map(
    entries.map((entry) => {
      const [name = '', number = ''] = entry.split('=').map((part) => part.trim());
      if (!NAMES.includes(name as PoolName) || !/^[1-9]\d{0,3}$/.test(number)) {
        throw new Error(`${setting} has ${entry.trim()}: it wants entries like calls=10, of ${NAMES.join(', ')}`);
      }
      return [name as PoolName, Number(number)];
    }),
  );
}
