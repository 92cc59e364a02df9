import type { Sql } from '../control/db/connect.ts';
import type { SizeWorkspace } from './size-fill.ts';
import type { SizeLine } from './size-line.ts';

/** What the simulation asks of the API and the database while calls are live, and how long each took. */

export interface Loaded {
  /** HTTP POST to its response, of calls that were placed. */
  placedMs: number[];
  /** Response of the placement to the request at the carrier's API. */
  dialDelayMs: number[];
  /** An event stored by the bus to its row on the timeline. */
  ingestLagMs: number[];
  /** By endpoint, those of the large workspace and of a small one. */
  listsMs: Map<string, { large: number[]; small: number[] }>;
  /** Requests that were not answered as they should, by what came instead. */
  failures: Map<string, number>;
  placed: number;
}

export interface LoadOptions {
  api: string;
  sql: Sql;
  line: SizeLine;
  workspaces: readonly SizeWorkspace[];
  placementsPerSecond: number;
  listsPerSecond: number;
  /** Paths of lists. */
  lists: { large: readonly string[]; small: readonly string[] };
}

const INGEST_SAMPLE_MS = 250;
const INGEST_LOOK_MS = 10;
const INGEST_GIVE_UP_MS = 30_000;
const REQUEST_TIMEOUT_MS = 30_000;

let numbers = 0;

/** Runs until `stop`, which resolves when what was asked is answered. What was asked before `measure` is not counted. */
export function startLoad(options: LoadOptions) {
  const { api, sql, line, workspaces, lists } = options;
  const nothing = (): Loaded => ({
    ...{ placedMs: [], dialDelayMs: [], ingestLagMs: [], listsMs: new Map(), failures: new Map(), placed: 0 },
  });
  let loaded = nothing();
  let stopped = false;
  /** By number: when the placement was answered; those that were dialled before have no delay. */
  const waiting = new Map<string, { answeredMs: number | null }>();
  const running = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>) => {
    const done = work.finally(() => running.delete(done));
    running.add(done);
  };
  const failed = (what: string) => loaded.failures.set(what, (loaded.failures.get(what) ?? 0) + 1);

  line.onDial((toNumber) => {
    const placement = waiting.get(toNumber);
    if (!placement) return;
    waiting.delete(toNumber);
    loaded.dialDelayMs.push(placement.answeredMs === null ? 0 : performance.now() - placement.answeredMs);
  });

  async function request(key: string, method: string, path: string, body?: object): Promise<number> {
    const beganMs = performance.now();
    const into = loaded;
    const response = await fetch(`${api}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => null);
    await response?.arrayBuffer().catch(() => null);
    if (response?.ok) return performance.now() - beganMs;
    const what = `${method} ${endpointOf(path)}: ${response?.status ?? 'no answer'}`;
    into.failures.set(what, (into.failures.get(what) ?? 0) + 1);
    return Number.NaN;
  }

  async function place(nth: number): Promise<void> {
    const { api_key, agent_ids } = workspaces[nth % workspaces.length]!;
    const to_number = `+9170${String(++numbers).padStart(8, '0')}`;
    const placement = { answeredMs: null as number | null };
    waiting.set(to_number, placement);
    const into = loaded;
    const tookMs = await request(api_key, 'POST', `/agents/${agent_ids[0]}/call`, {
      ...{ to_number, user_data: { name: 'Ravi', order: nth } },
    });
    if (Number.isNaN(tookMs)) return void waiting.delete(to_number);
    placement.answeredMs = performance.now();
    into.placed++;
    into.placedMs.push(tookMs);
  }

  async function readList(nth: number): Promise<void> {
    const size = nth % 2 === 0 ? 'large' : 'small';
    const paths = lists[size];
    const path = paths[Math.floor(nth / 2) % paths.length]!;
    const into = loaded;
    const tookMs = await request(workspaces[size === 'large' ? 0 : 1]!.api_key, 'GET', path);
    if (Number.isNaN(tookMs)) return;
    const name = endpointOf(path);
    const both = into.listsMs.get(name) ?? { large: [], small: [] };
    into.listsMs.set(name, both);
    both[size].push(tookMs);
  }

  async function sampleIngest(): Promise<void> {
    const event = line.lastPublished();
    if (!event) return;
    const into = loaded;
    while (!stopped) {
      const rows = await sql`
        select 1 from call_events where call_id = ${event.call_id} and source = 'media' and source_seq = ${event.seq}`;
      const lagMs = performance.now() - event.publishedMs;
      if (rows.length > 0) return void into.ingestLagMs.push(lagMs);
      if (lagMs > INGEST_GIVE_UP_MS)
        return void failed(`an event is not on its timeline after ${INGEST_GIVE_UP_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, INGEST_LOOK_MS));
    }
  }

  const timers = [
    every(options.placementsPerSecond, (nth) => track(place(nth))),
    every(options.listsPerSecond, (nth) => track(readList(nth))),
    every(1_000 / INGEST_SAMPLE_MS, () => track(sampleIngest())),
  ];
  return {
    measure() {
      loaded = nothing();
      line.reset();
    },
    /** Placed and not dialled yet. */
    waiting: () => waiting.size,
    async stop(): Promise<Loaded> {
      const measured = loaded;
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
      return measured;
    },
  };
}

/** Whatever the last ones take: an open load. */
function every(perSecond: number, run: (nth: number) => void): NodeJS.Timeout | undefined {
  if (perSecond <= 0) return undefined;
  const startMs = performance.now();
  let done = 0;
  return setInterval(() => {
    for (const due = Math.floor(((performance.now() - startMs) * perSecond) / 1_000); done < due; done++) run(done);
  }, 10);
}

/** A path without its query and ids. */
export function endpointOf(path: string): string {
  return path.replace(/\?.*/, '').replace(/\/[0-9a-z]{32}(?=\/|$)/g, '/{id}');
}
