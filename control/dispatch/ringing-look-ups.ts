import { isCarrierName } from '../../shared/carriers/registry.ts';
import { errorText } from '../../shared/log.ts';
import type { CallRow } from '../calls/call-row.ts';
import { takeRingingCalls } from '../calls/lifecycle/ringing-calls.ts';
import { CarrierError } from '../carriers/carrier.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import type { DialLookUpDeps } from './dial-look-ups.ts';

/** Per process. */
const MAX_CONCURRENT_LOOK_UPS = 5;
/** A request to a carrier takes at most this long. */
const GRACE_MS = 10_000;
const TOO_MANY_REQUESTS = 429;
/** For a carrier that takes no more requests for now. */
const PAUSE_MS = 10_000;
/** A database that answers later than this was away: carriers' callbacks failed as well. */
const AWAY_MS = 3_000;
/** Carriers stop ringing after 60 seconds: by then the end has been reported, or its callback was lost on the way. */
const REPORTED_WITHIN_MS = 65_000;

/**
 * Starts asking carriers what became of calls that ring although their end may have been reported: while this process was not started
 * yet, while the database was away, or longer ago than anybody rings. Every process may run it.
 */
export function startRingingLookUps(deps: DialLookUpDeps): PollingJob {
  const { sql, clock, log, carriers, lookUpIntervalMs: intervalMs = 1_000 } = deps;
  /** Since then every callback could be handled. */
  let listeningSinceMs = clock.wall();
  const pausedUntil = new Map<string, number>();

  async function take(limit: number): Promise<CallRow[]> {
    const nowMs = clock.wall();
    const asked = [...carriers].flatMap(([name, { findCall }]) =>
      findCall && (pausedUntil.get(name) ?? 0) <= nowMs ? [name] : [],
    );
    const dialledBefore = Math.max(listeningSinceMs, nowMs - REPORTED_WITHIN_MS);
    try {
      return await takeRingingCalls(sql, { providers: asked, dialledBefore, limit }, nowMs);
    } catch (error) {
      listeningSinceMs = clock.wall();
      throw error;
    } finally {
      if (clock.wall() - nowMs > AWAY_MS) listeningSinceMs = clock.wall();
    }
  }

  return startLeaseWorker<CallRow>({
    ...{ name: 'look-ups of ringing calls', intervalMs, clock, log },
    maxConcurrent: MAX_CONCURRENT_LOOK_UPS,
    graceMs: GRACE_MS,
    async lease(limit) {
      const jobs = await take(limit);
      return { jobs, more: jobs.length === limit };
    },
    async work(call) {
      await lookUpCall(deps, call).catch((error: unknown) => {
        const { id, provider } = call;
        if (error instanceof CarrierError && error.status === TOO_MANY_REQUESTS)
          pausedUntil.set(provider, clock.wall() + PAUSE_MS);
        log.warn({ call_id: id, provider, error: errorText(error) }, 'looking up a call at the carrier failed');
      });
      return true;
    },
    // It is due again by itself.
    release: async () => {},
    fieldsOf: ({ id, provider }) => ({ call_id: id, provider }),
  });
}

/** Asks the carrier for one call, and writes its end. @throws CarrierError when the carrier did not answer or refused. */
async function lookUpCall({ log, carriers, carrierEvents }: DialLookUpDeps, call: CallRow): Promise<void> {
  const { id, provider, provider_call_id, provider_request_id } = call;
  const carrier = isCarrierName(provider) ? carriers.get(provider) : undefined;
  const found = await carrier?.findCall?.({ provider_call_id, provider_request_id });
  if (!carrier || !found?.status || !ENDS.has(found.status)) return;
  log.info({ call_id: id, provider, status: found.status }, 'the end of a call was found at the carrier');
  const numbers = { from_number: '', to_number: '' };
  await carrierEvents.status(carrier.name, id, { ...found, ...numbers, provider_call_id, provider_request_id });
}

const ENDS: ReadonlySet<string> = new Set(['completed', 'no-answer', 'busy', 'failed', 'canceled']);
