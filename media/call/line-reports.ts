import type { Reporter } from '../report/reporter.ts';

/** More of one call say nothing new: its network is bad. */
const MAX_REPORTED_STALLS = 50;
/** Errors of the carrier on a call's timeline; further ones are counted in the log. */
const MAX_CARRIER_ERRORS = 5;

/** Puts on the timeline what is wrong with the caller's line, each kind up to a limit. */
export interface LineReports {
  /** The network held back the caller's audio for this long. */
  stalled(stallMs: number): void;
  carrierError(reason: string): void;
}

export function createLineReports(reporter: Pick<Reporter, 'report'>, carrier: string): LineReports {
  let stalls = 0;
  let carrierErrors = 0;
  return {
    stalled(stallMs) {
      if (stalls === MAX_REPORTED_STALLS) return;
      stalls++;
      const stall_ms = Math.round(stallMs);
      reporter.report('network.stall', `no audio from the caller for ${stall_ms} ms, then all of it at once`, {
        level: 'warning',
        data: { stall_ms },
      });
    },
    carrierError(reason) {
      if (carrierErrors === MAX_CARRIER_ERRORS) return;
      carrierErrors++;
      reporter.report('error', `the carrier reports ${reason}`, {
        level: 'warning',
        data: { component: 'carrier', provider: carrier },
      });
    },
  };
}
