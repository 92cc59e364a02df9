import { isCarrierName } from '../../shared/carriers/registry.ts';
import { type Clock, pause } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { refusedDialLine, type WriteCallLog } from '../calls/call-log.ts';
import type { CallRow } from '../calls/call-row.ts';
import type { StreamUrl } from '../calls/engines/stream-urls.ts';
import { writeDialOutcome, writeFirstAcceptance } from '../calls/lifecycle/dial-outcome.ts';
import { hangUpAtCarrier } from '../calls/lifecycle/hang-up.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { CarrierUrls } from '../carriers/carrier-urls.ts';
import type { DialOutcome } from '../carriers/dial.ts';
import type { Sql } from '../db/connect.ts';
import { learnRate } from './carrier-rates.ts';

export interface DialDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  carriers: Carriers;
  addresses: Pick<CarrierUrls, 'answerUrl' | 'statusUrl'>;
  /** With a stream token that is valid longer than the ringing. */
  streamUrl: StreamUrl;
  /** For the server logs of the workspace. */
  writeLog?: WriteCallLog;
}

const RING_SECONDS = 60;
const MAX_WRITE_ATTEMPTS = 5;
const WRITE_RETRY_DELAY_MS = 1_000;

/** Requests the dial of a call that is `ringing` already, once, and writes the outcome. Never throws. */
export async function dialCall(deps: DialDeps, call: CallRow): Promise<void> {
  const { sql, clock, log, carriers } = deps;
  const outcome = await requestDial(deps, call);
  const fields = { call_id: call.id, provider: call.provider };
  // The carrier's error text may contain the number, so it is only on the call's record.
  if (outcome.accepted === 'unknown') log.warn(fields, 'the answer to a dial did not come; the carrier will be asked');
  else if (outcome.accepted === 'later') await slowDown(deps, call, outcome.retry_after_ms);
  else if (!outcome.accepted) {
    log.warn(fields, 'dial refused');
    deps.writeLog?.(refusedDialLine(call));
  }
  for (let tries = 1; tries <= MAX_WRITE_ATTEMPTS; tries++) {
    try {
      const nowMs = clock.wall();
      if (outcome.accepted === true && (await writeFirstAcceptance(sql, call, outcome, nowMs))) return;
      const unwanted = await writeDialOutcome(sql, call.workspace_id, call.id, outcome, nowMs);
      if (unwanted) await hangUpAtCarrier({ log, carriers }, unwanted);
      return;
    } catch (error) {
      // If the database stays unavailable, the carrier's callbacks or the reaper settle the call.
      const level = tries === MAX_WRITE_ATTEMPTS ? 'error' : 'warn';
      log[level]({ call_id: call.id, error: errorText(error), tries }, 'writing the outcome of a dial failed');
      if (tries < MAX_WRITE_ATTEMPTS) await pause(clock, WRITE_RETRY_DELAY_MS);
    }
  }
}

async function requestDial({ carriers, addresses, streamUrl, log }: DialDeps, call: CallRow): Promise<DialOutcome> {
  const { id, provider, from_number, to_number } = call;
  const carrier = isCarrierName(provider) ? carriers.get(provider) : undefined;
  if (!carrier) return { accepted: false, by: 'service', reason: `this service has no account with ${provider}` };
  try {
    return await carrier.dial({
      from_number,
      to_number,
      answer_url: addresses.answerUrl(carrier.name, id),
      status_url: addresses.statusUrl(carrier.name, id),
      ring_seconds: RING_SECONDS,
      stream_url: streamUrl(carrier.name, id),
    });
  } catch (error) {
    log.error({ call_id: id, provider, error: errorText(error) }, 'dial request failed');
    return { accepted: 'unknown', reason: 'the dial request failed' };
  }
}

/** Fewer calls per second are placed at a carrier that refused one for their number. */
async function slowDown({ sql, clock, log }: DialDeps, { id, provider }: CallRow, retryAfterMs: number | null) {
  log.warn(
    { call_id: id, provider, retry_after_ms: retryAfterMs },
    'the carrier takes no more calls now; it is dialled later',
  );
  await learnRate(sql, provider, retryAfterMs, clock.wall()).catch((error: unknown) => {
    log.error({ provider, error: errorText(error) }, "writing a carrier's rate failed");
  });
}
