import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { ProviderRequestError } from './provider-request.ts';
import { endRefresh, leaseRefresh, measureLatencies, replaceLatencies, replaceVoices } from './store.ts';
import { MAX_VOICES, type VoiceList } from './voice-lists/voice-list.ts';

/** Refreshes what the catalog stores. Every process may run it; a lease lets one of them at each list. */

const HOUR_MS = 3_600_000;
const VOICES_EVERY_MS = 6 * HOUR_MS;
const LATENCIES_EVERY_MS = HOUR_MS;
const RETRY_MS = 5 * 60_000;
const DEADLINE_MS = 30_000;
/** Longer than a refresh can take. */
const LEASE_MS = 2 * 60_000;
const POLL_MS = 60_000;
const LATENCY_DAYS = 7;
const MAX_MEASURED_CALLS = 2_000;
/** A median of fewer would be that of a single call. */
const MIN_SAMPLES = 20;

export interface RefreshDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Those that come from a provider. */
  lists: readonly VoiceList[];
}

export function startCatalogRefresh(deps: RefreshDeps): PollingJob {
  const stopping = new AbortController();
  const job = startPollingJob({
    name: 'catalog',
    intervalMs: POLL_MS,
    clock: deps.clock,
    log: deps.log,
    run: () => refreshCatalog(deps, stopping.signal),
  });
  return {
    wake: job.wake,
    async stop() {
      stopping.abort();
      await job.stop();
    },
  };
}

/** Refreshes what is due. */
export async function refreshCatalog(deps: RefreshDeps, stopping: AbortSignal): Promise<void> {
  for (const list of deps.lists) {
    if (!stopping.aborted) await refreshVoices(deps, list, stopping);
  }
  if (!stopping.aborted) await refreshLatencies(deps);
}

async function refreshVoices(deps: RefreshDeps, list: VoiceList, stopping: AbortSignal): Promise<void> {
  const { sql, clock, log } = deps;
  const { provider } = list;
  await whenDue(deps, `voices:${provider}`, VOICES_EVERY_MS, async () => {
    const deadline = new AbortController();
    const timer = clock.after(DEADLINE_MS, () => deadline.abort());
    try {
      const found = await list.all(AbortSignal.any([deadline.signal, stopping]));
      const voices = [...new Map(found.map((voice) => [voice.voice_id, voice])).values()].slice(0, MAX_VOICES);
      // Every account has voices: an empty list is an error of the provider.
      if (voices.length === 0) throw new ProviderRequestError('invalid', 'the list is empty');
      await sql.begin((tx) => replaceVoices(tx, provider, voices, new Date(clock.wall())));
      return true;
    } catch (error) {
      if (!(error instanceof ProviderRequestError)) throw error;
      log.warn({ provider, error: errorText(error) }, 'voices could not be refreshed; the stored ones stay');
      return false;
    } finally {
      timer.cancel();
    }
  });
}

async function refreshLatencies(deps: RefreshDeps): Promise<void> {
  const { sql, clock } = deps;
  await whenDue(deps, 'latencies', LATENCIES_EVERY_MS, async () => {
    const firstId = firstIdSince(clock.wall() - LATENCY_DAYS * 24 * HOUR_MS);
    const limits = { firstId, maxCalls: MAX_MEASURED_CALLS, minSamples: MIN_SAMPLES };
    const latencies = await measureLatencies(sql, limits);
    await sql.begin((tx) => replaceLatencies(tx, latencies));
    return true;
  });
}

/** @param refresh resolves to false when it failed and is to be tried again soon. */
async function whenDue(
  { sql, clock }: RefreshDeps,
  name: string,
  everyMs: number,
  refresh: () => Promise<boolean>,
): Promise<void> {
  const startedMs = clock.wall();
  if (!(await leaseRefresh(sql, name, new Date(startedMs), new Date(startedMs + LEASE_MS)))) return;
  let done = false;
  try {
    done = await refresh();
  } finally {
    const nowMs = clock.wall();
    await endRefresh(sql, name, new Date(nowMs + (done ? everyMs : RETRY_MS)), done ? new Date(nowMs) : null);
  }
}

/** The lowest id that was made since then. */
function firstIdSince(wallMs: number): string {
  return Math.floor(wallMs).toString(16).padStart(12, '0').padEnd(32, '0');
}
