import { connectDatabase, type Pooler, poolState, type Sql } from './connect.ts';
import type { GateState } from './connection-gate.ts';
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

/** What a process of the program does: what happens in calls and in the background, requests to the API, or both. */
export interface ProcessPart {
  part: 'all' | 'calls' | 'api';
  /** How many there are for the API. */
  api_processes: number;
}

const WHOLE_PROGRAM: ProcessPart = { part: 'all', api_processes: 0 };
/** Of a pool's connections, those of the process for calls; the ones for the API share the rest. */
const SHARES_OF_CALLS: Readonly<Record<PoolName, number>> = { calls: 0.6, ingest: 1, api: 0, reports: 0, jobs: 0.75 };

/**
 * The settings of a process's pools; one for calls has none for requests, and the other way round. Each has a connection of its
 * pools at least. @throws Error when a setting is not understood.
 */
export function poolSettings(
  config: Pick<PoolsConfig, 'DATABASE_CONNECTIONS' | 'DATABASE_STATEMENT_SECONDS'>,
  process: ProcessPart = WHOLE_PROGRAM,
): Partial<Record<PoolName, PoolSettings>> {
  const connections = readNumbers('DATABASE_CONNECTIONS', config.DATABASE_CONNECTIONS);
  const seconds = readNumbers('DATABASE_STATEMENT_SECONDS', config.DATABASE_STATEMENT_SECONDS);
  const settings = NAMES.flatMap((name): [PoolName, PoolSettings][] => {
    const preset = DEFAULTS[name];
    const own = shareOf(connections.get(name) ?? preset.connections, SHARES_OF_CALLS[name], process);
    return own === 0 ? [] : [[name, { ...preset, connections: own, seconds: seconds.get(name) ?? preset.seconds }]];
  });
  return Object.fromEntries(settings);
}

function shareOf(connections: number, ofCalls: number, { part, api_processes }: ProcessPart): number {
  if (part === 'all') return connections;
  const forCalls = ofCalls === 0 ? 0 : Math.max(1, Math.round(connections * ofCalls));
  if (part === 'calls') return forCalls;
  return ofCalls === 1 ? 0 : Math.max(1, Math.floor((connections - forCalls) / api_processes));
}

/** Creates the pools of a process, which wake the same background jobs. What it has no pool for is done in that of jobs. */
export function connectPools(config: PoolsConfig, process: ProcessPart = WHOLE_PROGRAM): Pools {
  const { DATABASE_URL: url, DATABASE_POOLER: pooler } = config;
  const wakeUps = createWakeUps();
  const own = Object.entries(poolSettings(config, process)).map(([name, { connections, seconds, waitMs }]) => {
    const pool = connectDatabase({
      ...{ url, pooler, wakeUps, name: `antiphon-control ${name}`, max: connections },
      statementTimeoutMs: seconds * 1_000,
      ...(waitMs === undefined ? {} : { waitMs }),
    });
    return [name, pool] as const;
  });
  const { jobs, ...others } = Object.fromEntries(own) as Partial<Pools> & Pick<Pools, 'jobs'>;
  return { calls: jobs, ingest: jobs, api: jobs, reports: jobs, ...others, jobs };
}

/** How each pool is used, by name; one that has several names counts once. */
export function poolStates(pools: Pools): Record<string, GateState> {
  const names = Object.keys(pools) as PoolName[];
  const own = names.filter((name) => name === 'jobs' || pools[name] !== pools.jobs);
  return Object.fromEntries(own.map((name) => [name, poolState(pools[name])]));
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
