import { isCarrierName } from '../../shared/carriers/registry.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { CallRow } from '../calls/call-row.ts';
import { hangUpAtCarrier } from '../calls/lifecycle/hang-up.ts';
import { settleLostDial, takeLostDials, unansweredDials } from '../calls/lifecycle/lost-dial.ts';
import type { FoundDials } from '../carriers/dial.ts';
import type { CarrierEventHandler } from '../carriers/event-handlers.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import type { DialDeps } from './dial-call.ts';

export interface DialLookUpDeps extends Pick<DialDeps, 'sql' | 'clock' | 'carriers'> {
  log: Logger;
  /** Ends a call that the carrier's list shows as over. */
  carrierEvents: Pick<CarrierEventHandler, 'status'>;
  /** 1 second. */
  lookUpIntervalMs?: number;
}

/** Per process. */
const MAX_CONCURRENT_LOOK_UPS = 10;
/** A request to a carrier takes at most this long. */
const GRACE_MS = 10_000;

/** Starts asking carriers what became of dials whose answer did not come. Every process may run it. */
export function startDialLookUps({ lookUpIntervalMs: intervalMs = 1_000, ...deps }: DialLookUpDeps): PollingJob {
  const { sql, clock, log } = deps;
  return startLeaseWorker<CallRow>({
    ...{ name: 'dial look-ups', intervalMs, clock, log, openWork: { sql, query: unansweredDials } },
    maxConcurrent: MAX_CONCURRENT_LOOK_UPS,
    graceMs: GRACE_MS,
    async lease(limit) {
      const jobs = await takeLostDials(sql, limit, clock.wall());
      return { jobs, more: jobs.length === limit };
    },
    async work(call) {
      await lookUpDial(deps, call);
      return true;
    },
    // It is due again by itself.
    release: async () => {},
    fieldsOf: ({ id, provider }) => ({ call_id: id, provider }),
  });
}

/** Asks the carrier for one dial, and writes what it says. */
export async function lookUpDial(
  { sql, clock, log, carriers, carrierEvents }: DialLookUpDeps,
  call: CallRow,
): Promise<void> {
  const { id, provider } = call;
  const { unwanted, dial } = await settleLostDial(sql, id, await findDial(), clock.wall());
  if (unwanted) await hangUpAtCarrier({ log, carriers }, unwanted);
  if (!dial || !isCarrierName(provider)) return;
  log.info({ call_id: id, provider }, 'a dial whose answer did not come was found at the carrier');
  await carrierEvents.status(provider, id, { ...dial, from_number: '', to_number: '' });

  async function findDial(): Promise<FoundDials | null> {
    const carrier = isCarrierName(provider) ? carriers.get(provider) : undefined;
    const { from_number, to_number, ringing_at } = call;
    try {
      return (
        (await carrier?.findDial?.({ call_id: id, from_number, to_number, dialled_at_ms: ringing_at!.getTime() })) ??
        null
      );
    } catch (error) {
      log.warn({ call_id: id, provider, error: errorText(error) }, 'looking up a dial at the carrier failed');
      return null;
    }
  }
}
